import { describe, expect } from 'vitest'
import { putGuide, rateOf, slugsOf, UNCOUNTED } from '../support/content.ts'
import { errorOf, it, makeSite, type Page, post, type TestSite } from '../support/site.ts'
import { statementsOf } from '../support/sql.ts'

async function siteWithGuides(slugs: string[]): Promise<TestSite> {
  const site = await makeSite()
  const guides = slugs.map((slug) => post({ slug, status: 'published' }))
  await site.manage('PUT', '/guides', { guides })
  return site
}

describe('the list of guides', () => {
  it('has the published ones, each as it is on its own, latest update first', async () => {
    const site = await siteWithGuides(['a', 'b', 'c'])
    await putGuide(site, 'draft', { status: 'draft' })
    await putGuide(site, 'a', { title: 'Newer' })
    await site.put('post', { status: 'published' })
    await (await siteWithGuides(['theirs'])).get('/guides')
    const page = await site.json<Page>('/guides')
    expect(page).toEqual({
      items: await Promise.all(['a', 'c', 'b'].map((slug) => site.json(`/guides/${slug}`))),
      ...{ page: 1, pageSize: 12, total: 3, totalPages: 1 },
    })
    await site.manage('DELETE', '/guides/c/publication')
    await site.manage('DELETE', '/guides/b')
    expect(await slugsOf(site, '/guides')).toEqual(['a'])
  })

  it('has pages, also past the end, and is empty on a site without guides', async () => {
    const slugs = Array.from({ length: 14 }, (_, n) => `g${n}`)
    const site = await siteWithGuides(slugs)
    expect(await slugsOf(site, '/guides')).toEqual(slugs.toReversed().slice(0, 12))
    expect(await slugsOf(site, '/guides?pageSize=5&page=3')).toEqual(['g3', 'g2', 'g1', 'g0'])
    const past = { items: [], pageSize: 12, total: 14, totalPages: 2 }
    for (const page of [3, Number.MAX_SAFE_INTEGER]) {
      expect(await site.json(`/guides?page=${page}`)).toEqual({ ...past, page })
    }
    const refused = await site.get('/guides?pageSize=0')
    expect(await errorOf(refused, 400)).toBe(
      'Invalid query parameter: pageSize must be an integer from 1 to 50',
    )
    const none = { items: [], page: 1, pageSize: 12, total: 0, totalPages: 0 }
    expect(await (await makeSite()).json('/guides')).toEqual(none)
  })

  it('with updatedAfter has guides updated strictly after it, oldest first', async () => {
    const site = await siteWithGuides(['a', 'b', 'c'])
    const items = (await site.json<Page>('/guides?updatedAfter=1970-01-01T00:00:00Z')).items
    expect(items.map(({ slug }) => slug)).toEqual(['a', 'b', 'c'])
    const after = items[0]!.updatedAt
    expect(await slugsOf(site, `/guides?updatedAfter=${after}`)).toEqual(['b', 'c'])
    expect(await site.json(`/guides?updatedAfter=${after}&pageSize=1`)).toMatchObject({
      total: 2,
      totalPages: 2,
    })
    expect(await slugsOf(site, `/guides?updatedAfter=${items[2]!.updatedAt}`)).toEqual([])
  })

  it('uses no quota, takes one statement, and none when it is cached', async () => {
    const site = await siteWithGuides(['a'])
    await site.get('/guides/missing')
    expect(await statementsOf(() => site.get('/guides'))).toHaveLength(1)
    expect(await statementsOf(() => site.get('/guides'))).toEqual([])
    const first = await site.get('/guides')
    expect(rateOf(first)).toEqual(UNCOUNTED)
    expect(first.headers.get('Cache-Control')).toBe('private, no-cache')
    const headers = { 'If-None-Match': first.headers.get('ETag')! }
    expect((await site.get('/guides', { headers })).status).toBe(304)
    expect((await site.get('/guides', { headers: { 'If-None-Match': '*' } })).status).toBe(304)
    expect(rateOf(await site.get('/posts'))).toMatchObject({ remaining: 999 })
    await putGuide(site, 'a', { title: 'Newer' })
    expect((await site.get('/guides', { headers })).status).toBe(200)
  })
})
