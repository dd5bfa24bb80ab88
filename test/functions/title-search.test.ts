import fc from 'fast-check'
import { describe, expect, inject, it } from 'vitest'
import { FOLD_VERSION, foldCase } from '../../src/core/fold.ts'
import { slugsOf } from '../support/content.ts'
import { depthOf } from '../support/depth.ts'
import { makeSite, manage, type Page, type PutResult, post, type TestSite } from '../support/site.ts'
import { runSql } from '../support/sql.ts'

type Kind = 'posts' | 'guides'

const KINDS: Kind[] = ['posts', 'guides']
const q = encodeURIComponent

function put(site: TestSite, kind: Kind, slug: string, title: string): Promise<PutResult> {
  return site.manage('PUT', `/${kind}/${slug}`, post({ title }))
}

/** Sets the title by SQL, and reads it before it is folded: again if the sweep of another test came in between. */
async function findUnfolded(site: TestSite, title: string, below: string) {
  for (let tries = 1; ; tries++) {
    for (const kind of KINDS) {
      await put(site, kind, 'a', 'One')
      await runSql(`update ${kind} set title = $1 where site_id = $2`, [title, site.id])
    }
    const response = await site.get(below)
    const folded = await runSql('select from posts where site_id = $1 and folded_from = title', [site.id])
    if (folded.length === 0 || tries === 5) return response
  }
}

/** Slugs that operators find, and for posts the API's callers too. */
async function find(site: TestSite, kind: Kind, search: string): Promise<unknown[]> {
  const { items } = await site.manage('GET', `/${kind}?search=${q(search)}`)
  const found = items.map(({ slug }) => slug)
  if (kind === 'posts') expect(await slugsOf(site, `/posts?search=${q(search)}`)).toEqual(found)
  return found
}

describe.each(KINDS)('a changed title of %s', (kind) => {
  it.each([
    ['STRASSE 9', 'Straße 9'],
    ['ΟΔΟΣ', 'οδος'],
    ['İstanbul', 'i̇stanbul'],
    ['ﬁne ﬂow', 'fine flow'],
    ['Café', 'Cafe\u0301'],
    ['Cafe\u0301', 'CAFÉ'],
    ['ŉ', 'ʼN'],
  ])(
    'is found when it folds to the same text, and putting it again changes nothing: %s, then %s',
    async (one, other) => {
      const site = await makeSite()
      await put(site, kind, 'a', one)
      const updated = await put(site, kind, 'a', other)
      expect(updated.outcome).toBe('updated')
      for (const search of [one, other]) expect(await find(site, kind, search), search).toEqual(['a'])
      expect(await put(site, kind, 'a', other)).toEqual({ ...updated, outcome: 'unchanged' })
    },
  )
})

it.each([
  ['Köln am Rhein', 'koln'],
  ['Koln am Rhein', 'köln'],
  ['Łódź and Ørsted', 'LODZ'],
  ['Cafe\u0301 crème', 'café creme'],
  ['Tiếng Việt', 'tieng viet'],
  ['Ёлка', 'елка'],
  ['مُحَمَّد', 'محمد'],
])('%s is found by %s, as if it had no diacritics', async (title, search) => {
  const site = await makeSite()
  for (const kind of KINDS) {
    await put(site, kind, 'a', title)
    expect(await find(site, kind, search)).toEqual(['a'])
  }
})

describe('invisible characters', () => {
  it.each([
    ['a soft hyphen', 'Donau\u00addampfschiff', 'donaudampfschiff'],
    ['a zero-width space', 'Long\u200bword', 'longword'],
    ['a word joiner', 'Word\u2060joined', 'wordjoined'],
    ['a byte order mark', '\ufeffBegins', 'begins'],
    ['direction marks', '\u2067Shalom\u2069 שלום\u200f', 'shalom שלום'],
    ['a joiner in Persian', 'می\u200cخواهم', 'میخواهم'],
    ['a joiner in Hindi', 'क्\u200dष', 'क्ष'],
    ['a joiner in emoji', 'Go 👩\u200d🚀', 'go 👩🚀'],
    ['a variation selector', 'I ❤\ufe0f it', 'i ❤ it'],
  ])('are ignored in titles and in searches: %s', async (_, title, without) => {
    const site = await makeSite()
    const unlike = `un\u00ad${without}`
    for (const kind of KINDS) {
      await put(site, kind, 'a', title)
      await put(site, kind, 'b', without)
      await put(site, kind, 'c', 'Another')
      for (const search of [title, without, `\u200b${without}\u00ad`])
        expect((await find(site, kind, search)).sort(), search).toEqual(['a', 'b'])
      expect(await find(site, kind, unlike)).toEqual([])
    }
  })

  it.each(['\u00ad', '\u200b\u200c\u200d', ' \u2060 ', '\ufeff', '\u200e\u202e', '\ufe0f'])(
    'alone are not a search: %j',
    async (search) => {
      const site = await makeSite()
      for (const kind of KINDS) {
        await put(site, kind, 'a', 'One')
        expect(await find(site, kind, search)).toEqual(['a'])
      }
    },
  )
})

it('marks that make a different letter are not ignored', async () => {
  const site = await makeSite()
  await put(site, 'posts', 'a', 'がっこう 각 हिन्दी')
  for (const other of ['か', '가', 'हनद']) expect(await find(site, 'posts', other)).toEqual([])
})

// Letters that fold to several, to each other, or depending on their neighbours.
const letter = fc.constantFrom(...'aAiIsSſßẞΣσςΐΰİıŉǆǅǄﬁﬃὈᾳ\u0301\u0307\u0323\u0308éÉKÅΩԱև한ꭰᏸ𐐀')
const title = fc.array(letter, { minLength: 1, maxLength: 12 }).map((letters) => `x${letters.join('')}`)

const seed = inject('fuzzSeed')

it(`any title, put over any other, is found by itself in every case, and putting it again changes nothing (FUZZ_SEED=${seed})`, async () => {
  const site = await makeSite()
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...KINDS), title, title, async (kind, one, other) => {
      await put(site, kind, 'a', one)
      const written = await put(site, kind, 'a', other)
      for (const search of [other, foldCase(other), foldCase(other).normalize('NFD')]) {
        expect(await find(site, kind, search)).toEqual(['a'])
      }
      expect(await put(site, kind, 'a', other)).toEqual({ ...written, outcome: 'unchanged' })
    }),
    { seed, numRuns: depthOf('titles') },
  )
})

describe('a title set by SQL', () => {
  it('is found after the next sweep like any other, with a new ETag but the same updatedAt', async () => {
    const site = await makeSite()
    const missed = await findUnfolded(site, 'Straße nach ΟΔΟΣ', '/posts?search=strasse')
    const [row] = await runSql('select wire_time(updated_at) as at from posts where site_id = $1', [site.id])
    expect(await missed.json<Page>()).toMatchObject({ total: 0 })
    await manage('POST', '/sweep')
    const headers = { 'If-None-Match': missed.headers.get('ETag')! }
    const { items } = await (await site.get('/posts?search=strasse', { headers })).json<Page>()
    expect(items).toMatchObject([{ slug: 'a', updatedAt: row!.at }])
    for (const kind of KINDS) expect(await find(site, kind, 'NACH οδος'), kind).toEqual(['a'])
  })

  it.each(KINDS)('and then set back, is found by its current text: %s', async (kind) => {
    const site = await makeSite()
    const set = (title: string) =>
      runSql(`update ${kind} set title = $2 where site_id = $1`, [site.id, title])
    for (const [one, other] of [
      ['Alpha', 'Beta'],
      ['Straße', 'Gasse'],
    ] as const) {
      await put(site, kind, 'a', one)
      await set(other)
      await set(one)
      await manage('POST', '/sweep')
      expect(await find(site, kind, one.toUpperCase())).toEqual(['a'])
      expect(await find(site, kind, other)).toEqual([])
    }
  })

  it('does not turn a put of the same title into a change', async () => {
    const site = await makeSite()
    await put(site, 'guides', 'a', 'One')
    await runSql("update guides set title = 'Straße' where site_id = $1", [site.id])
    expect(await put(site, 'guides', 'a', 'Straße')).toMatchObject({ outcome: 'unchanged' })
  })
})

it('the sweep also folds titles of databases that do not record the source of a fold', async () => {
  const site = await makeSite()
  for (const kind of KINDS) {
    await put(site, kind, 'a', 'Straße')
    await runSql(`update ${kind} set title_folded = 'straße', folded_from = null where site_id = $1`, [
      site.id,
    ])
  }
  await manage('POST', '/sweep')
  for (const kind of KINDS) expect(await find(site, kind, 'STRASSE'), kind).toEqual(['a'])
})

it.each(KINDS)(
  'a Worker that folds without recording the source finds titles before any sweep: %s',
  async (kind) => {
    const site = await makeSite()
    await runSql(
      `insert into ${kind} (site_id, slug, title, title_folded, content_html) values ($1, 'a', 'Straße', 'strasse', '')`,
      [site.id],
    )
    expect(await find(site, kind, 'STRASSE')).toEqual(['a'])
    await runSql(`update ${kind} set title = 'Maße', title_folded = 'masse' where site_id = $1`, [site.id])
    expect(await find(site, kind, 'MASSE')).toEqual(['a'])
  },
)

it('a correct fold keeps its version', async () => {
  const site = await makeSite()
  for (const kind of KINDS) await put(site, kind, 'a', 'Straße')
  const versions = () => runSql('select content_version, last_sequence from sites where id = $1', [site.id])
  const before = await versions()
  for (const kind of KINDS) {
    await runSql(`update ${kind} set folded_from = null where site_id = $1`, [site.id])
  }
  await manage('POST', '/sweep')
  for (const kind of KINDS) {
    const rows = await runSql(`select folded_from from ${kind} where site_id = $1`, [site.id])
    expect(rows).toEqual([{ folded_from: 'Straße' }])
  }
  expect(await versions()).toEqual(before)
})

it.each(KINDS)('the sweep folds a title again after a release with another fold: %s', async (kind) => {
  const site = await makeSite()
  const title = 'Donau\u00addampfschiff'
  await put(site, kind, 'a', title)
  await put(site, kind, 'b', 'ASCII')
  const folds = () =>
    runSql(
      `select fold_version as version, title_folded as folded from ${kind} where site_id = $1 order by slug`,
      [site.id],
    )
  const current = await folds()
  expect(current[0]).toMatchObject({ version: FOLD_VERSION, folded: 'donaudampfschiff' })
  await runSql(`update ${kind} set title_folded = lower(title), fold_version = 1 where site_id = $1`, [
    site.id,
  ])
  expect(await find(site, kind, 'donaudampf')).toEqual([])
  const [before] = await runSql(`select updated_at from ${kind} where site_id = $1 and slug = 'a'`, [site.id])
  await manage('POST', '/sweep')
  expect(await find(site, kind, 'donaudampf')).toEqual(['a'])
  expect((await folds())[0]).toEqual(current[0])
  expect(await runSql(`select updated_at from ${kind} where site_id = $1 and slug = 'a'`, [site.id])).toEqual(
    [before],
  )
})
