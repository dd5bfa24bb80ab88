import { describe, expect, it } from 'vitest'
import { browse, decode, wordsOf } from '../../support/console.ts'
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

/** A site with these rows, and their ids, oldest first. */
async function siteWithRows(rows: Row[], settings = { trainingOptIn: true }) {
  const site = await makeSite(settings)
  await site.put('a-post', { status: 'published' })
  await site.manage('POST', '/training-rows', { rows })
  const { items } = await site.manage('GET', '/training-rows?limit=500')
  const { at, open, read, submit } = await browse(site, '/content/training')
  return { site, ids: items.map(({ id }) => String(id)), at, list: open, open, read, submit }
}

const exported = async (site: TestSite) => (await site.get('/training/export')).text()

describe('the list of training rows', () => {
  it('has each with the start of its prompt, its opt-in and its post, oldest first', async () => {
    const { ids, list } = await siteWithRows([
      { prompt: `<b>${'p'.repeat(200)}`, completion: 'Not in the list', postSlug: 'a-post' },
      { prompt: ' \n ', completion: 'c', optIn: false },
    ])
    const page = await list()
    expect(wordsOf(page)).toMatch(
      / 2 rows .*Selected: Clear Opt in Opt out .* <b>p{117}… Opted in None Not checked a-post \d[^<]* UTC Empty prompt Opted out None Not checked None \d.* UTC$/,
    )
    expect(page.text).not.toContain('Not in the list')
    expect(page.text.indexOf(ids[0]!)).toBeLessThan(page.text.indexOf(ids[1]!))
    const statements = await statementsOf(() => list())
    expect(statements.slice(2).join()).not.toContain('completion')
    const { read } = await browse(await makeSite())
    expect(await read('/content/training')).toMatch(/No training rows yet .* training add/)
  })

  it('is paged, and keeps the filter on other pages and in the selection', async () => {
    const rows = Array.from({ length: 51 }, (_, n) => ({ prompt: `Prompt ${n}.`, completion: 'c' }))
    const { at, list } = await siteWithRows(rows)
    const first = await list('?search=prompt')
    expect(wordsOf(first)).toContain('Prompt 49.')
    expect(wordsOf(first)).not.toContain('Prompt 50.')
    expect(first.text).toContain(`action="${at()}-rows/selection?search=prompt"`)
    const newer = /href="[^"]+(\?search=prompt&amp;cursor=[\w.-]+)">Newer</.exec(first.text)![1]!
    const second = await list(decode(newer))
    expect(wordsOf(second)).toContain('Prompt 50.')
    expect(wordsOf(second)).not.toContain('Prompt 49.')
    expect(second.text).toContain(`href="${at()}?search=prompt">Oldest</a>`)
  })
})

describe('the filter of training rows', () => {
  const NAMES = ['Why brake?', 'WHY pedal?', 'How, 100%?']

  it('finds the matching rows, and counts them', async () => {
    const { list } = await siteWithRows([
      { prompt: NAMES[0]!, completion: 'An answer', language: 'en', qualityBand: 'premium' },
      { prompt: NAMES[1]!, completion: 'Other', language: 'de' },
      { prompt: NAMES[2]!, completion: 'Other', optIn: false },
    ])
    for (const [query, expected] of [
      ['search=why', [0, 1]],
      ['search=brake+WHY', [0]],
      ['search=100%25', [2]],
      ['search=why_brake', []],
      ['optIn=out', [2]],
      ['optIn=in&language=DE', [1]],
      ['language=none', [2]],
      ['band=premium', [0]],
    ] as const) {
      const words = wordsOf(await list(`?${query}`))
      expect([query, [0, 1, 2].filter((at) => words.includes(NAMES[at]!))]).toEqual([query, expected])
      expect(words).toContain(expected.length === 0 ? 'No rows found' : ` ${expected.length} row`)
    }
    expect((await list('?band=best')).status).toBe(400)
  })
})

describe('the selection of training rows', () => {
  it('opts rows out and in, says how many, and returns to the list with its filters', async () => {
    const { site, ids, at, submit } = await siteWithRows([
      { prompt: 'Why 1', completion: 'c' },
      { prompt: 'Why 2', completion: 'c', optIn: false },
      { prompt: 'Why 3', completion: 'c' },
    ])
    const select = (optIn: string, rows: string[]) =>
      submit(`${at()}-rows/selection?search=why`, [['optIn', optIn], ...rows.map((row) => ['row', row])])
    const out = await select('out', [ids[0]!, ids[1]!, crypto.randomUUID(), 'x'])
    expect([out.status, out.location]).toEqual([303, expect.stringMatching(/training\?search=why&done=out/)])
    expect(out.words).toContain(
      '1 row opted out. 1 row was already opted out. 2 selected rows can no longer be found.',
    )
    expect(await exported(site)).not.toMatch(/Why [12]/)
    expect(await exported(site)).toContain('Why 3')
    await select('in', [ids[1]!])
    expect(await exported(site)).toContain('Why 2')
    expect((await select('out', [])).words).toContain('No rows were selected.')
    const many = Array.from({ length: 101 }, () => crypto.randomUUID())
    expect((await select('out', many)).status).toBe(400)
    expect((await select('maybe', [ids[1]!])).status).toBe(400)
  })

  it('changes nothing of another site', async () => {
    const { site, ids } = await siteWithRows([{ prompt: 'Why?', completion: 'c' }])
    const { submit } = await browse(await makeSite())
    const form = { optIn: 'out', row: ids[0]! }
    expect((await submit('/content/training-rows/selection', form)).words).toContain(
      '1 selected row can no longer be found.',
    )
    expect(await exported(site)).toContain('Why?')
  })
})

describe("a training row's page", () => {
  it('shows the whole text, escaped, and its post', async () => {
    const { ids, open } = await siteWithRows([
      { prompt: `<img>${'p'.repeat(200)}`, completion: 'One\n  <script>', postSlug: 'a-post' },
    ])
    const page = await open(`/${ids[0]}`)
    expect(page.text).toContain(`&lt;img&gt;${'p'.repeat(200)}<`)
    expect(page.text).toContain('<p class="lines" dir="auto">One\n  &lt;script&gt;<')
    expect(wordsOf(page)).toContain('Post a-post')
  })

  it('takes the row out of the export, adds it again, and deletes it after a confirmation', async () => {
    const { site, ids, read, submit } = await siteWithRows([
      { prompt: 'Why?', completion: 'c' },
      { prompt: 'How?', completion: 'c' },
    ])
    const press = async (optIn: string) => (await submit(`/${ids[0]}/opt-in`, { optIn })).words
    expect(await press('out')).toMatch(/Opted out .*Opt in .*Row opted out\. The next export leaves it out/)
    expect(await exported(site)).not.toContain('Why?')
    expect(await press('in')).toMatch(/Opted in .*Opt out .*Row opted in\./)
    expect((await submit(`/${ids[0]}/opt-in`, { optIn: 'on' })).status).toBe(400)
    expect(await read(`/${ids[0]}/deletion`)).toContain('This cannot be undone.')
    expect(await exported(site)).toContain('Why?')
    const { words } = await submit(`/${ids[0]}/deletion`)
    expect(words).toContain('Training row deleted.')
    expect(words).not.toContain('Why?')
    expect(await exported(site)).toMatch(/How\?/)
    expect(await exported(site)).not.toContain('Why?')
  })
})

it('while the training export is off, the list and the pages of its rows say so', async () => {
  const { site, ids, read } = await siteWithRows([{ prompt: 'p', completion: 'c' }], { trainingOptIn: false })
  for (const page of ['', `/${ids[0]}`])
    expect(await read(page)).toContain('The training export of this site is off')
  await site.manage('PATCH', '', { trainingOptIn: true })
  expect(await read()).not.toContain('of this site is off')
})
