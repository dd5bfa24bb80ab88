import { describe, expect } from 'vitest'
import { pageLinks } from '../../functions/http/list.ts'
import { putAll, putGuide, putHeavy } from '../support/content.ts'
import { it, makeSite, ORIGIN, type TestSite } from '../support/site.ts'
import { callIn } from '../support/world.ts'

async function siteWithPosts(count: number): Promise<TestSite> {
  const site = await makeSite()
  await putAll(
    site,
    Array.from({ length: count }, (_, n) => ({ slug: `p${n}`, title: 'Ünï & "x?"', language: 'de' })),
  )
  return site
}

/** The targets of `Link` by relation. */
function linksOf(response: Response): Record<string, URL> {
  const links = (response.headers.get('Link') ?? '').matchAll(/<([^<>"\s]+)>; rel="(\w+)"/g)
  return Object.fromEntries([...links].map(([, target, rel]) => [rel, new URL(target!)]))
}

const pagesOf = (response: Response) =>
  Object.fromEntries(
    Object.entries(linksOf(response)).map(([rel, url]) => [rel, Number(url.searchParams.get('page'))]),
  )

describe('Link', () => {
  const LIST = 'https://api.test/api/v1/sites/x/posts'
  const targets = (query: string, totalPages: number) =>
    pagesOf(new Response(null, { headers: { Link: pageLinks(LIST + query, totalPages) ?? '' } }))

  it('has the first, previous, next and last page, and is missing if the query is too long to repeat', () => {
    expect(targets('', 3)).toEqual({ first: 1, next: 2, last: 3 })
    expect(targets('?page=02', 3)).toEqual({ first: 1, prev: 1, next: 3, last: 3 })
    expect(targets('?page=3', 3)).toEqual({ first: 1, prev: 2, last: 3 })
    expect(targets('?page=9007199254740991', 3)).toEqual({ first: 1, prev: 3, last: 3 })
    for (const pages of [0, 1]) expect(targets('', pages)).toEqual({ first: 1, last: 1 })
    expect(targets(`?search=${'x'.repeat(200)}`, 1)).toEqual({ first: 1, last: 1 })
    expect(pageLinks(`${LIST}?x=${'y'.repeat(5_000)}`, 1)).toBeUndefined()
  })

  it('leads through the whole list, and keeps the other parameters of the query', async () => {
    const site = await siteWithPosts(5)
    await site.put('other', { language: 'en' })
    const given = {
      search: 'ünï & "x?',
      language: 'de',
      status: 'draft',
      fields: 'title,slug',
      pageSize: '2',
    }
    const slugs: unknown[] = []
    let next: URL | undefined = new URL(`${ORIGIN}/api/v1${site.path}/posts?${new URLSearchParams(given)}`)
    while (next) {
      const response = await site.get(next.href.split(site.path)[1]!.replace('%3F', '?'))
      slugs.push(
        ...(await response.clone().json<{ items: { slug: string }[] }>()).items.map(({ slug }) => slug),
      )
      const links = linksOf(response)
      for (const url of Object.values(links)) {
        const { page, ...others } = Object.fromEntries(url.searchParams)
        expect([url.origin + url.pathname, others]).toEqual([`${ORIGIN}/api/v1${site.path}/posts`, given])
        expect(page).toMatch(/^[1-3]$/)
      }
      next = links.next
    }
    expect(slugs).toEqual(['p4', 'p3', 'p2', 'p1', 'p0'])
  })

  it('is on the list of guides too', async ({ site }) => {
    for (const slug of ['a', 'b']) await putGuide(site, slug)
    const response = await site.get('/guides?pageSize=1')
    expect(pagesOf(response)).toEqual({ first: 1, next: 2, last: 2 })
    expect(linksOf(response).next!.pathname).toBe(`/api/v1${site.path}/guides`)
  })

  it('is the same whether the body was loaded for the request or cached by this or another isolate', async () => {
    const site = await siteWithPosts(3)
    const made = await site.get('/posts?pageSize=1')
    const known = await site.get('/posts?pageSize=1')
    const shared = await callIn({}, `/api/v1${site.path}/posts?pageSize=1`, { key: site.key })
    const head = await site.get('/posts?pageSize=1', { method: 'HEAD' })
    for (const response of [made, known, shared, head]) {
      expect(pagesOf(response)).toEqual({ first: 1, next: 2, last: 3 })
    }
    // The body was cached for another URL.
    const other = await site.get('/posts?x=1&pageSize=01')
    expect(linksOf(other).next!.search).toBe('?x=1&pageSize=01&page=2')
    await site.put('new')
    expect(pagesOf(await site.get('/posts?pageSize=1'))).toMatchObject({ last: 4 })
  })

  it('is on a page that is streamed', async ({ site }) => {
    await putHeavy(site)
    const response = await site.get('/posts?page=1')
    expect(pagesOf(response)).toEqual({ first: 1, last: 1 })
    await response.body?.cancel()
  })

  it('is missing on a 304, an error and a single post', async () => {
    const site = await siteWithPosts(2)
    const answers = [
      await site.get('/posts', { headers: { 'If-None-Match': '*' } }),
      await site.get('/posts?page=0'),
      await site.get('/posts/p0'),
      await site.get('/changes'),
    ]
    expect(answers.map(({ status }) => status)).toEqual([304, 400, 200, 200])
    for (const { headers } of answers) expect(headers.get('Link')).toBeNull()
  })
})
