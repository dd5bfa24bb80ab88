import { describe, expect, it } from 'vitest'
import { signIn, visit, wordsOf } from '../../support/console.ts'
import { makeSite, type TestSite } from '../../support/site.ts'
import { statementsOf } from '../../support/sql.ts'

type Row = { prompt: string; completion: string; optIn?: boolean; postSlug?: string }

const listPath = (site: TestSite) => `/console/sites/${site.id}/content/training`

/** A site with these rows, and the paths of their pages, oldest first. */
async function siteWithRows(rows: Row[], settings = { trainingOptIn: true }) {
  const site = await makeSite(settings)
  await site.put('a-post', { status: 'published' })
  await site.manage('POST', '/training-rows', { rows })
  const { items } = await site.manage<{ items: { id: string }[] }>('GET', '/training-rows?limit=500')
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
      / <b>p{117}… Opted in a-post \d[^<]* UTC Blank prompt Opted out None \d.* UTC$/,
    )
    expect(page.text).not.toContain('Not in the list')
    expect(page.text.indexOf(pages[0]!)).toBeLessThan(page.text.indexOf(pages[1]!))
    const statements = await statementsOf(() => visit(listPath(site), { cookie }))
    expect(statements).toHaveLength(3)
    expect(statements.at(-1)).not.toContain('completion')
  })

  it('is paged, and leads back to the oldest', async () => {
    const rows = Array.from({ length: 51 }, (_, n) => ({ prompt: `Prompt ${n}.`, completion: 'c' }))
    const { site, cookie } = await siteWithRows(rows)
    const first = await visit(listPath(site), { cookie })
    expect(wordsOf(first)).toContain('Prompt 49.')
    expect(wordsOf(first)).not.toContain('Prompt 50.')
    const newer = /href="([^"]+\?cursor=\d+)">Newer</.exec(first.text)![1]!
    const second = await visit(newer, { cookie })
    expect(wordsOf(second)).toContain('Prompt 50.')
    expect(wordsOf(second)).not.toContain('Prompt 49.')
    expect(second.text).toContain(`href="${listPath(site)}">Oldest</a>`)
  })

  it('when empty says how to fill it', async () => {
    const { site, cookie } = await siteWithRows([{ prompt: 'p', completion: 'c' }])
    const other = await makeSite()
    const words = wordsOf(await visit(listPath(other), { cookie }))
    expect(words).toMatch(/No training rows yet .* training add/)
    expect(wordsOf(await visit(`${listPath(site)}?cursor=999999999999`, { cookie }))).toContain(
      'No more training rows',
    )
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

  it('takes the row out of the export, and puts it in again', async () => {
    const { site, pages, cookie } = await siteWithRows([{ prompt: 'Why?', completion: 'c' }])
    const press = async (optIn: string) => {
      const { location } = await visit(`${pages[0]}/opt-in`, { cookie, form: { optIn } })
      return wordsOf(await visit(location!, { cookie }))
    }
    expect(await press('out')).toMatch(
      /Opted out .*Opt in .*The row is opted out: the next export leaves it out/,
    )
    expect(await exported(site)).not.toContain('Why?')
    expect(await press('in')).toMatch(/Opted in .*Opt out .*The row is opted in\./)
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
    expect(list).toContain('The training row is deleted.')
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

describe('where the training export is off', () => {
  it('the list and the pages of its rows say so', async () => {
    const { site, pages, cookie } = await siteWithRows([{ prompt: 'p', completion: 'c' }], {
      trainingOptIn: false,
    })
    for (const path of [listPath(site), pages[0]!]) {
      expect(wordsOf(await visit(path, { cookie }))).toContain("The site's training export is off")
    }
    await site.manage('PATCH', '', { trainingOptIn: true })
    expect(wordsOf(await visit(listPath(site), { cookie }))).not.toContain('export is off')
  })
})
