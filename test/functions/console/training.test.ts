import { describe, expect, it } from 'vitest'
import { browse, decode, formIn, wordsOf } from '../../support/console.ts'
import { makeSite } from '../../support/site.ts'
import { statementsOf } from '../../support/sql.ts'

type Row = {
  prompt: string
  completion?: string
  optIn?: boolean
  postSlug?: string
  language?: string
  qualityBand?: string
}

/** A site with these rows, and their ids, oldest first. */
async function siteWithRows(rows: Row[], settings = { trainingOptIn: true }) {
  const site = await makeSite(settings)
  await site.put('a-post', { status: 'published' })
  const whole = rows.map((row) => ({ completion: 'c', ...row }))
  await site.manage('POST', '/training-rows', { rows: whole })
  const stored = async () => (await site.manage('GET', '/training-rows?limit=500')).items
  const ids = (await stored()).map(({ id }) => String(id))
  const optedIn = async () => (await stored()).filter(({ optIn }) => optIn).map(({ prompt }) => prompt)
  return { site, ids, optedIn, ...(await browse(site, '/content/training')) }
}

describe('the list of training rows', () => {
  it('has each with the start of its prompt, its opt-in and its post, oldest first', async () => {
    const { ids, open } = await siteWithRows([
      { prompt: `<b>${'p'.repeat(200)}`, completion: 'Not in the list', postSlug: 'a-post' },
      { prompt: ' \n ', optIn: false },
    ])
    const page = await open()
    expect(wordsOf(page)).toMatch(
      / Selected: Opt in Opt out Clear .* <b>p{117}… Opted in a-post \d[^<]* UTC Empty prompt Opted out \d.* UTC 2 rows$/,
    )
    expect(page.text.indexOf(ids[0]!)).toBeLessThan(page.text.indexOf(ids[1]!))
    const statements = await statementsOf(() => open())
    expect(statements.slice(2).join()).not.toContain('completion')
    const { read } = await browse(await makeSite())
    expect(await read('/content/training')).toMatch(/No training rows yet .* training add/)
  })

  it('is paged, and keeps the filter on other pages and in the selection', async () => {
    const { at, open } = await siteWithRows(
      Array.from({ length: 51 }, (_, n) => ({ prompt: `Prompt ${n}.` })),
    )
    const first = await open('?search=prompt')
    expect(wordsOf(first)).toContain('Prompt 49.')
    expect(wordsOf(first)).not.toContain('Prompt 50.')
    expect(first.text).toContain(`action="${at()}-rows/selection?search=prompt"`)
    const newer = /href="[^"]+(\?search=prompt&amp;cursor=[\w.-]+)">Next page</.exec(first.text)![1]!
    const second = await open(decode(newer))
    expect(wordsOf(second)).toContain('Prompt 50.')
    expect(wordsOf(second)).not.toContain('Prompt 49.')
    expect(second.text).toContain(`href="${at()}?search=prompt">First page</a>`)
  })

  it('is filtered, and counts the matching rows', async () => {
    const names = ['Why brake?', 'WHY pedal?', 'How, 100%?']
    const { open } = await siteWithRows([
      { prompt: names[0]!, language: 'en', qualityBand: 'premium' },
      { prompt: names[1]!, language: 'de' },
      { prompt: names[2]!, optIn: false },
    ])
    for (const [query, expected] of [
      ['search=brake+WHY', [0]],
      ['search=100%25', [2]],
      ['search=why_brake', []],
      ['optIn=out', [2]],
      ['optIn=in&language=DE', [1]],
      ['language=none', [2]],
      ['band=premium', [0]],
    ] as const) {
      const words = wordsOf(await open(`?${query}`))
      expect([query, [0, 1, 2].filter((at) => words.includes(names[at]!))]).toEqual([query, expected])
      expect(words).toContain(expected.length === 0 ? 'No rows match' : ' 1 row')
    }
    expect((await open('?band=best')).status).toBe(400)
  })
})

describe('the selection of training rows', () => {
  it('opts rows out and in, says how many, and returns to the list with its filters', async () => {
    const { ids, at, optedIn, submit } = await siteWithRows([
      { prompt: 'Why 1' },
      { prompt: 'Why 2', optIn: false },
      { prompt: 'Why 3' },
    ])
    const select = (optIn: string, rows: string[]) =>
      submit(`${at()}-rows/selection?search=why`, [['optIn', optIn], ...rows.map((row) => ['row', row])])
    const out = await select('out', [ids[0]!, ids[1]!, crypto.randomUUID(), 'x'])
    expect([out.status, out.location]).toEqual([303, expect.stringMatching(/training\?search=why&done=out/)])
    expect(out.words).toContain(
      '1 row opted out. 1 row was already opted out. 2 selected rows can no longer be found.',
    )
    expect(await optedIn()).toEqual(['Why 3'])
    const { action, fields } = formIn(out.page, 'Undo')
    const [, optIn = ''] = /name="optIn" value="(\w+)"[^>]*>Undo</.exec(out.page.text) ?? []
    const undone = await submit(action, { ...fields, optIn })
    expect(undone.location).toMatch(/training\?search=why&done=in/)
    expect(undone.words).toContain('1 row opted in.')
    expect(await optedIn()).toEqual(['Why 1', 'Why 3'])
    await select('out', [ids[0]!])
    await select('in', [ids[1]!])
    expect(await optedIn()).toEqual(['Why 2', 'Why 3'])
    expect((await select('out', [])).words).toContain('No rows were selected.')
    const many = Array.from({ length: 101 }, () => crypto.randomUUID())
    expect((await select('out', many)).status).toBe(400)
    expect((await select('maybe', [ids[1]!])).status).toBe(400)
  })

  it('changes nothing of another site', async () => {
    const { optedIn, ids } = await siteWithRows([{ prompt: 'Why?' }])
    const { submit } = await browse(await makeSite())
    const form = { optIn: 'out', row: ids[0]! }
    expect((await submit('/content/training-rows/selection', form)).words).toContain(
      '1 selected row can no longer be found.',
    )
    expect(await optedIn()).toEqual(['Why?'])
  })
})

it("a training row's page shows the whole text, escaped, and its post, and opts the row out and in", async () => {
  const { ids, open, optedIn, submit } = await siteWithRows([
    { prompt: `<img>${'p'.repeat(200)}`, completion: 'One\n  <script>', postSlug: 'a-post' },
  ])
  const page = await open(`/${ids[0]}`)
  expect(page.text).toContain(`&lt;img&gt;${'p'.repeat(200)}<`)
  expect(page.text).toContain('<p class="lines" dir="auto">One\n  &lt;script&gt;<')
  expect(wordsOf(page)).toContain('Post a-post')
  const press = async (optIn: string) => (await submit(`/${ids[0]}/opt-in`, { optIn })).words
  expect(await press('out')).toMatch(/Opted out .*Opt in .*Row opted out\. The next export leaves it out/)
  expect(await optedIn()).toEqual([])
  expect(await press('in')).toMatch(/Opted in .*Opt out .*Row opted in\./)
  expect(await optedIn()).toHaveLength(1)
  expect((await submit(`/${ids[0]}/opt-in`, { optIn: 'on' })).status).toBe(400)
})

it('while the training export is off, the list and the pages of its rows say so', async () => {
  const { site, ids, read } = await siteWithRows([{ prompt: 'p' }], { trainingOptIn: false })
  for (const page of ['', `/${ids[0]}`]) expect(await read(page)).toContain('Export is off · Turn it on')
  await site.manage('PATCH', '', { trainingOptIn: true })
  expect(await read()).not.toContain('Export is off')
})
