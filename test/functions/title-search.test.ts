import fc from 'fast-check'
import { describe, expect, inject } from 'vitest'
import { FOLD_VERSION, foldCase } from '../../src/core/fold.ts'
import { slugsOf } from '../support/content.ts'
import { depthOf } from '../support/depth.ts'
import { it, makeSite, manage, type Page, type PutResult, post, type TestSite } from '../support/site.ts'
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

// The folds themselves are in test/src/core/fold.test.ts.
it.each([
  ['STRASSE 9', 'Straße 9'],
  ['ΟΔΟΣ', 'οδος'],
  ['Cafe\u0301', 'CAFÉ'],
])(
  'a changed title is found when it folds to the same text, and putting it again changes nothing: %s, then %s',
  async (one, other) => {
    const site = await makeSite()
    for (const kind of KINDS) {
      await put(site, kind, 'a', one)
      const updated = await put(site, kind, 'a', other)
      expect(updated.outcome).toBe('updated')
      for (const search of [one, other]) expect(await find(site, kind, search), search).toEqual(['a'])
      expect(await put(site, kind, 'a', other)).toEqual({ ...updated, outcome: 'unchanged' })
    }
  },
)

/** By the text that finds it: without diacritics, and without invisible characters. */
const TITLES = {
  koln: 'Köln am Rhein',
  LODZ: 'Łódź and Ørsted',
  'café creme': 'Cafe\u0301 crème',
  'tieng viet': 'Tiếng Việt',
  елка: 'Ёлка',
  محمد: 'مُحَمَّد',
  donaudampfschiff: 'Donau\u00addampfschiff',
  'lo\u200bngw\u00adord': 'Long\u200bword',
  'shalom שלום': '\u2067Shalom\u2069 שלום\u200f',
  میخواهم: 'می\u200cخواهم',
  'go 👩🚀': 'Go 👩\u200d🚀',
  'i ❤ it': 'I ❤\ufe0f it',
}

it('diacritics and invisible characters are ignored in titles and in searches', async ({ site }) => {
  const articles = Object.values(TITLES).map((title, at) => post({ slug: `t${at}`, title }))
  await site.manage('PUT', '/posts', { posts: articles })
  await site.manage('PUT', '/guides', { guides: articles })
  for (const kind of KINDS) {
    for (const [at, [search, title]] of Object.entries(TITLES).entries())
      for (const each of [search, title]) expect(await find(site, kind, each), each).toEqual([`t${at}`])
    expect(await find(site, kind, 'un\u00addonau')).toEqual([])
    for (const nothing of ['\u00ad', '\u200b\u200c\u200d', ' \u2060 ', '\ufeff', '\u200e\u202e', '\ufe0f'])
      expect(await find(site, kind, nothing)).toHaveLength(articles.length)
  }
})

it('marks that make a different letter are not ignored', async ({ site }) => {
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

  it('does not turn a put of the same title into a change', async ({ site }) => {
    await put(site, 'guides', 'a', 'One')
    await runSql("update guides set title = 'Straße' where site_id = $1", [site.id])
    expect(await put(site, 'guides', 'a', 'Straße')).toMatchObject({ outcome: 'unchanged' })
  })
})

it('the sweep also folds titles of databases that do not record the source of a fold', async ({ site }) => {
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

it('a correct fold keeps its version', async ({ site }) => {
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
