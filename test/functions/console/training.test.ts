import { describe, expect, it } from 'vitest'
import { signIn, visit, wordsOf } from '../../support/console.ts'
import { makeSite, type TestSite } from '../../support/site.ts'
import { statementsOf } from '../../support/sql.ts'

type Row = {
  prompt: string
  completion: string
  optIn?: boolean
  postSlug?: string
  language?: string
  qualityBand?: string
}

const listPath = (site: TestSite) => `/console/sites/${site.id}/content/training`

/** A site with these rows, and the paths of their pages, oldest first. */
async function siteWithRows(rows: Row[], settings = { trainingOptIn: true }) {
  const site = await makeSite(settings)
  await site.put('a-post', { status: 'published' })
  await site.manage('POST', '/training-rows', { rows })
  const { items } = await site.manage('GET', '/training-rows?limit=500')
  return { site, cookie: await signIn(), pages: items.map(({ id }) => `${listPath(site)}/${id}`) }
}

const exported = async (site: TestSite) => (await site.get('/training/export')).text()

describe('the list of training rows', () => {
  it('has each with the start of its prompt, its opt-in and its post, oldest first', async () => {
    const { site, cookie, pages } = await siteWithRows([
      { prompt: `<b>${'p'.repeat(200)}`, completion: 'Not in the list', postSlug: 'a-post' },
      { prompt: ' \n ', completion: 'c', optIn: false },
    ])
    const page = await visit(listPath(site), { cookie })
    expect(wordsOf(page)).toMatch(
      / 2 rows .*Selected: Clear Opt in Opt out .* <b>p{117}… Opted in None Not checked a-post \d[^<]* UTC Empty prompt Opted out None Not checked None \d.* UTC$/,
    )
    expect(page.text).not.toContain('Not in the list')
    expect(page.text.indexOf(pages[0]!)).toBeLessThan(page.text.indexOf(pages[1]!))
    const statements = await statementsOf(() => visit(listPath(site), { cookie }))
    expect(statements).toHaveLength(4)
    expect(statements.slice(2).join()).not.toContain('completion')
  })

  it('is paged, and links back to the oldest', async () => {
    const rows = Array.from({ length: 51 }, (_, n) => ({ prompt: `Prompt ${n}.`, completion: 'c' }))
    const { site, cookie } = await siteWithRows(rows)
    const first = await visit(listPath(site), { cookie })
    expect(wordsOf(first)).toContain('Prompt 49.')
    expect(wordsOf(first)).not.toContain('Prompt 50.')
    const newer = /href="([^"]+\?cursor=[\w.-]+)">Newer</.exec(first.text)![1]!
    const second = await visit(newer, { cookie })
    expect(wordsOf(second)).toContain('Prompt 50.')
    expect(wordsOf(second)).not.toContain('Prompt 49.')
    expect(second.text).toContain(`href="${listPath(site)}">Oldest</a>`)
  })

  it('when empty explains how to fill it', async () => {
    const { cookie } = await siteWithRows([{ prompt: 'p', completion: 'c' }])
    const other = await makeSite()
    const words = wordsOf(await visit(listPath(other), { cookie }))
    expect(words).toMatch(/No training rows yet .* training add/)
  })
})

describe('the filter of training rows', () => {
  const NAMES = ['Why brake?', 'WHY pedal?', 'How, 100%?']

  it.each([
    ['search=why', [0, 1]],
    ['search=brake+WHY', [0]],
    ['search=100%25', [2]],
    ['search=why_brake', []],
    ['optIn=out', [2]],
    ['optIn=in&language=DE', [1]],
    ['language=none', [2]],
    ['band=premium', [0]],
  ])('%s finds the matching rows, and counts them', async (query, expected) => {
    const { site, cookie } = await siteWithRows([
      { prompt: NAMES[0]!, completion: 'An answer', language: 'en', qualityBand: 'premium' },
      { prompt: NAMES[1]!, completion: 'Other', language: 'de' },
      { prompt: NAMES[2]!, completion: 'Other', optIn: false },
    ])
    const page = await visit(`${listPath(site)}?${query}`, { cookie })
    const words = wordsOf(page)
    expect([0, 1, 2].filter((at) => words.includes(NAMES[at]!))).toEqual(expected)
    expect(words).toContain(expected.length === 0 ? 'No rows found' : ` ${expected.length} row`)
  })

  it('refuses unknown values, and is kept on other pages and in the selection', async () => {
    const rows = Array.from({ length: 51 }, (_, n) => ({ prompt: `Prompt ${n}.`, completion: 'c' }))
    const { site, cookie } = await siteWithRows(rows)
    expect((await visit(`${listPath(site)}?band=best`, { cookie })).status).toBe(400)
    const { text } = await visit(`${listPath(site)}?search=prompt`, { cookie })
    expect(text).toMatch(/href="[^"]+\?search=prompt&amp;cursor=[\w.-]+">Newer</)
    expect(text).toContain(`action="${listPath(site)}-rows/selection?search=prompt"`)
  })
})

describe('the selection of training rows', () => {
  const send = (site: TestSite, cookie: string, entries: string[][]) =>
    visit(`${listPath(site)}-rows/selection?search=why`, {
      cookie,
      method: 'POST',
      body: new URLSearchParams(entries),
      headers: { Origin: 'https://api.test' },
    })

  it('opts rows out and in, says how many, and returns to the list with its filters', async () => {
    const { site, cookie, pages } = await siteWithRows([
      { prompt: 'Why 1', completion: 'c' },
      { prompt: 'Why 2', completion: 'c', optIn: false },
      { prompt: 'Why 3', completion: 'c' },
    ])
    const [one, two] = pages.map((page) => page.split('/').at(-1)!)
    const sent = [['optIn', 'out'], ...[one!, two!, crypto.randomUUID(), 'x'].map((id) => ['row', id])]
    const { status, location } = await send(site, cookie, sent)
    expect(status).toBe(303)
    expect(location).toMatch(/training\?search=why&done=out/)
    expect(wordsOf(await visit(location!, { cookie }))).toContain(
      '1 row opted out. 1 row was already opted out. 2 selected rows can no longer be found.',
    )
    expect(await exported(site)).not.toMatch(/Why [12]/)
    expect(await exported(site)).toContain('Why 3')
    await send(site, cookie, [
      ['optIn', 'in'],
      ['row', two!],
    ])
    expect(await exported(site)).toContain('Why 2')
  })

  it('changes nothing for another site, for no rows, for more than 100, or with an unknown action', async () => {
    const { pages, cookie, site } = await siteWithRows([{ prompt: 'Why?', completion: 'c' }])
    const id = pages[0]!.split('/').at(-1)!
    const other = await makeSite()
    const { location } = await send(other, cookie, [
      ['optIn', 'out'],
      ['row', id],
    ])
    expect(wordsOf(await visit(location!, { cookie }))).toContain('1 selected row can no longer be found.')
    const none = await send(site, cookie, [['optIn', 'out']])
    expect(wordsOf(await visit(none.location!, { cookie }))).toContain('No rows were selected.')
    const many = Array.from({ length: 101 }, () => ['row', crypto.randomUUID()])
    expect((await send(site, cookie, [['optIn', 'out'], ...many])).status).toBe(400)
    expect(
      (
        await send(site, cookie, [
          ['optIn', 'maybe'],
          ['row', id],
        ])
      ).status,
    ).toBe(400)
    expect(await exported(site)).toContain('Why?')
  })
})

describe("a training row's page", () => {
  it('shows the whole text, escaped, and its post', async () => {
    const { pages, cookie } = await siteWithRows([
      { prompt: `<img>${'p'.repeat(200)}`, completion: 'One\n  <script>', postSlug: 'a-post' },
    ])
    const page = await visit(pages[0]!, { cookie })
    expect(page.text).toContain(`&lt;img&gt;${'p'.repeat(200)}<`)
    expect(page.text).toContain('<p class="lines" dir="auto">One\n  &lt;script&gt;<')
    expect(wordsOf(page)).toContain('Post a-post')
    expect(await statementsOf(() => visit(pages[0]!, { cookie }))).toHaveLength(3)
  })

  it('takes the row out of the export, and adds it again', async () => {
    const { site, pages, cookie } = await siteWithRows([{ prompt: 'Why?', completion: 'c' }])
    const press = async (optIn: string) => {
      const { location } = await visit(`${pages[0]}/opt-in`, { cookie, form: { optIn } })
      return wordsOf(await visit(location!, { cookie }))
    }
    expect(await press('out')).toMatch(/Opted out .*Opt in .*Row opted out\. The next export leaves it out/)
    expect(await exported(site)).not.toContain('Why?')
    expect(await press('in')).toMatch(/Opted in .*Opt out .*Row opted in\./)
    expect(await exported(site)).toContain('Why?')
    expect((await visit(`${pages[0]}/opt-in`, { cookie, form: { optIn: 'on' } })).status).toBe(400)
  })

  it('deletes the row after a confirmation', async () => {
    const { site, pages, cookie } = await siteWithRows([
      { prompt: 'Why?', completion: 'c' },
      { prompt: 'How?', completion: 'c' },
    ])
    const question = await visit(`${pages[0]}/deletion`, { cookie })
    expect(wordsOf(question)).toContain('This cannot be undone.')
    expect(await exported(site)).toContain('Why?')
    const { location } = await visit(`${pages[0]}/deletion`, { cookie, form: {} })
    const list = wordsOf(await visit(location!, { cookie }))
    expect(list).toContain('Training row deleted.')
    expect(list).not.toContain('Why?')
    expect(await exported(site)).toMatch(/How\?/)
    expect(await exported(site)).not.toContain('Why?')
  })

  it('of another site, or with a malformed id, is not found', async () => {
    const { pages, cookie } = await siteWithRows([{ prompt: 'p', completion: 'c' }])
    const other = await makeSite()
    const id = pages[0]!.split('/').at(-1)
    for (const below of [id, 'x', crypto.randomUUID()]) {
      const path = `${listPath(other)}/${below}`
      for (const page of [path, `${path}/deletion`]) expect((await visit(page, { cookie })).status).toBe(404)
      for (const form of ['deletion', 'opt-in'])
        expect((await visit(`${path}/${form}`, { cookie, form: { optIn: 'out' } })).status).toBe(404)
    }
    expect((await visit(pages[0]!, { cookie })).status).toBe(200)
  })
})

describe('when the training export is off', () => {
  it('the list and the pages of its rows say so', async () => {
    const { site, pages, cookie } = await siteWithRows([{ prompt: 'p', completion: 'c' }], {
      trainingOptIn: false,
    })
    for (const path of [listPath(site), pages[0]!]) {
      expect(wordsOf(await visit(path, { cookie }))).toContain('The training export of this site is off')
    }
    await site.manage('PATCH', '', { trainingOptIn: true })
    expect(wordsOf(await visit(listPath(site), { cookie }))).not.toContain('of this site is off')
  })
})
