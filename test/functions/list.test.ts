import { describe, expect } from 'vitest'
import { apiNames, includable } from '../../src/content/articles/field-table.ts'
import { POST_FIELDS } from '../../src/content/posts/fields.ts'
import { makeKey, putAll, slugsOf, UUID, WIRE_TIME } from '../support/content.ts'
import { it, makeSite, type Page } from '../support/site.ts'
import { runSql } from '../support/sql.ts'

/** Every field of the API except those that need `include`. */
const FIELDS = apiNames(POST_FIELDS).all.filter(
  (name) => !includable(POST_FIELDS, { alone: true }).includes(name),
)

describe('200', () => {
  it('moves a post to the front after every visible change', async ({ site }) => {
    for (const slug of ['a', 'b', 'c', 'd']) await site.put(slug, { qualityBand: 'premium' })
    await site.put('a', { qualityBand: 'premium', title: 'Edited' })
    expect(await slugsOf(site, '/posts')).toEqual(['a', 'd', 'c', 'b'])
    await site.manage('PUT', '/posts/b/publication')
    expect(await slugsOf(site, '/posts')).toEqual(['b', 'a', 'd', 'c'])
    await site.manage('PUT', '/posts/c/readiness')
    expect(await slugsOf(site, '/posts')).toEqual(['c', 'b', 'a', 'd'])
    await site.manage('DELETE', '/posts/b/publication')
    expect(await slugsOf(site, '/posts')).toEqual(['b', 'c', 'a', 'd'])
  })

  it('with ready=true has the drafts that are ready now, and a poller gets each draft that becomes ready', async () => {
    const site = await makeSite()
    await putAll(
      site,
      ['a', 'b', 'c', 'd'].map((slug) => ({ slug, qualityBand: 'standard', language: 'en' })),
    )
    let updatedAfter = '1970-01-01T00:00:00Z'
    const poll = async (...changes: [method: string, below: string][]) => {
      for (const [method, below] of changes) await site.manage(method, `/posts/${below}`)
      const below = `/posts?ready=true&include=readiness&updatedAfter=${updatedAfter}`
      const { items } = await site.json<Page>(below)
      updatedAfter = String(items.at(-1)?.updatedAt ?? updatedAfter)
      for (const { readiness } of items) expect(readiness).toMatchObject({ readyAt: expect.any(String) })
      return items.map(({ slug }) => slug)
    }
    expect(await poll()).toEqual([])
    expect(await poll(['PUT', 'b/readiness'], ['PUT', 'a/readiness'])).toEqual(['b', 'a'])
    expect(await poll(['PUT', 'a/readiness'])).toEqual([])
    expect(await poll(['PUT', 'c/readiness'], ['PUT', 'c/publication'])).toEqual([])
    expect(await poll(['DELETE', 'c/publication'])).toEqual(['c'])
    await site.put('a', { qualityBand: 'standard', title: 'Edited' })
    expect(await poll()).toEqual([])
    expect(await slugsOf(site, '/posts?ready=true')).toEqual(['c', 'b'])
    expect(await slugsOf(site, '/posts?ready=true&status=published')).toEqual([])
    expect(await slugsOf(site, '/posts?ready=true&language=en&search=title&sort=publishedAt')).toHaveLength(2)
    const { items } = await site.manage('GET', '/posts?ready=true')
    expect(items.map(({ slug }) => slug)).toEqual(['c', 'b'])
    const { key } = await makeKey(site, { access: 'published' })
    const answer = await site.get('/posts?ready=true', { headers: { Authorization: `Bearer ${key}` } })
    expect(await answer.json()).toMatchObject({ items: [], total: 0 })
    expect(await poll(['PUT', 'a/readiness'])).toEqual(['a'])
  })

  it('gives posts that are written at the same time different updatedAts too', async ({ site }) => {
    const slugs = Array.from({ length: 20 }, (_, n) => `p${n}`)
    const results = await Promise.all(slugs.map((slug) => site.put(slug)))
    const newestFirst = results.map(({ updatedAt }) => updatedAt).sort((a, b) => (a < b ? 1 : -1))
    const { items } = await site.json<Page>('/posts?pageSize=50')
    expect(items.map((post) => post.updatedAt)).toEqual(newestFirst)
    expect(new Set(newestFirst).size).toBe(20)
  })

  it('has 12 posts per page by default, and no post is missed or repeated between pages', async () => {
    const site = await makeSite()
    await putAll(
      site,
      Array.from({ length: 25 }, (_, n) => ({ slug: `p${n}` })),
    )
    const pages = await Promise.all([1, 2, 3].map((page) => site.json<Page>(`/posts?page=${page}`)))
    expect(await site.json('/posts')).toEqual(pages[0])
    expect(pages.map(({ items, ...paging }) => ({ ...paging, here: items.length }))).toEqual([
      { page: 1, pageSize: 12, total: 25, totalPages: 3, here: 12 },
      { page: 2, pageSize: 12, total: 25, totalPages: 3, here: 12 },
      { page: 3, pageSize: 12, total: 25, totalPages: 3, here: 1 },
    ])
    const slugs = pages.flatMap((page) => page.items.map((post) => post.slug))
    expect(slugs).toEqual(Array.from({ length: 25 }, (_, n) => `p${24 - n}`))
  })

  it('returns an empty page with the right total past the end, and no pages on a site without posts', async () => {
    const site = await makeSite()
    const nothing = { items: [], page: 1, pageSize: 12, total: 0, totalPages: 0 }
    expect(await site.json('/posts')).toEqual(nothing)
    await putAll(site, [{ slug: 'a' }, { slug: 'b' }, { slug: 'c' }])
    for (const page of [3, 999_999_999_999, Number.MAX_SAFE_INTEGER]) {
      const past = { items: [], page, pageSize: 2, total: 3, totalPages: 2 }
      expect(await site.json(`/posts?pageSize=2&page=${page}`)).toEqual(past)
    }
  })

  it('returns every field of an item, with null for those that are not set', async ({ site }) => {
    await site.put('bare', { contentHtml: '' })
    const [item] = (await site.json<Page>('/posts')).items
    expect(Object.keys(item!).sort()).toEqual([...FIELDS].sort())
    expect(item).toMatchObject({
      id: expect.stringMatching(UUID),
      slug: 'bare',
      title: 'A title',
      contentHtml: '',
      status: 'draft',
      updatedAt: expect.stringMatching(WIRE_TIME),
      aiGenerated: false,
      schemaBundle: { article: {}, breadcrumb: {}, faq: null },
    })
    const empty = ['excerpt', 'publishedAt', 'qualityBand', 'assuranceLabel', 'reviewStatus', 'language']
    for (const field of [...empty, 'sourcePostId', 'seo', 'faqJsonLd']) expect(item![field], field).toBeNull()
  })

  it('returns items like the single post, without provenance and the internal score', async ({ site }) => {
    const provenance = { sources: [{ url: 'https://source.example.com/1', title: 'Source' }] }
    await site.put('a', { provenance, trustScore: 91.25, language: 'en', status: 'published' })
    const response = await site.get('/posts?include=provenance')
    const text = await response.text()
    expect(text).not.toMatch(/provenance|trust|score|91\.25|source\.example/i)
    expect((JSON.parse(text) as Page).items[0]).toEqual(await site.json('/posts/a'))
  })

  it('returns only the posts of the site, and ignores unknown parameters', async ({ site }) => {
    const other = await makeSite()
    await site.put('mine')
    await other.put('theirs')
    expect(await slugsOf(site, `/posts?siteId=${other.id}&token=x&Page=9&constructor=1&__proto__=2`)).toEqual(
      ['mine'],
    )
  })

  it('returns a page of more than 10 MiB completely and in order', async ({ site }) => {
    const body = (n: number) => `<p>${n}é"${'wörd '.repeat(50_000)}</p>`
    await runSql(
      `insert into posts (site_id, slug, title, content_html)
       select $1, 'p' || n, 'T', '<p>' || n || 'é"' || repeat('wörd ', 50000) || '</p>' from generate_series(0, 49) n`,
      [site.id],
    )
    const response = await site.get('/posts?pageSize=50')
    const text = await response.text()
    expect(response.headers.get('Content-Type')).toBe('application/json')
    expect(new TextEncoder().encode(text).length).toBeGreaterThan(12 * 1024 * 1024)
    const page = JSON.parse(text) as Page
    expect(page).toMatchObject({ page: 1, pageSize: 50, total: 50, totalPages: 1 })
    expect(page.items.map((post) => post.slug)).toEqual(Array.from({ length: 50 }, (_, n) => `p${49 - n}`))
    expect(page.items.every((post, at) => post.contentHtml === body(49 - at))).toBe(true)
    expect(page.items[49]).toEqual(await site.json('/posts/p0'))
  })

  it('returns a post that is too large for one response of the database on a page with other posts', async ({
    site,
  }) => {
    const contentHtml = 'some words '.repeat(762_587)
    await site.put('small')
    await runSql(
      `insert into posts (site_id, slug, title, content_html) values ($1, 'large', 'T', repeat('some words ', 762587))`,
      [site.id],
    )
    const { items } = await site.json<Page>('/posts')
    expect(items.map((post) => post.slug)).toEqual(['large', 'small'])
    expect(items[0]!.contentHtml === contentHtml).toBe(true)
  })
})
