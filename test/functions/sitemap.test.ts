import { describe, expect } from 'vitest'
import { putAll, putGuide } from '../support/content.ts'
import { errorOf, it, makeSite, type TestSite } from '../support/site.ts'
import { readSitemap } from '../support/sitemap.ts'

/** By URL, since the order of posts in a bulk put is not guaranteed. */
async function urlsOf(site: TestSite, below = '/sitemap.xml') {
  const urls = readSitemap(await (await site.get(below)).text())
  return urls.sort((a, b) => (a.loc < b.loc ? -1 : 1))
}

describe('200', () => {
  it('uses a post’s dateModified as its lastmod, unless it is in the future', async ({ site }) => {
    const put = (slug: string, dateModified: unknown) =>
      site.put(slug, { status: 'published', schemaBundle: { article: { dateModified } } })
    await put('past', '2020-01-02T04:04:05+01:00')
    for (const [slug, odd] of Object.entries({
      future: '9999-01-01T00:00:00Z',
      text: 'May',
      number: 5,
      zero: '0000-01-01T00:00:00Z',
    }))
      await put(slug, odd)
    const urls = await urlsOf(site)
    expect(urls).toHaveLength(5)
    for (const { loc, lastmod } of urls) {
      if (loc.endsWith('/past')) expect(lastmod).toBe('2020-01-02T03:04:05.000Z')
      else expect(Date.parse(lastmod!)).toBeGreaterThan(Date.now() - 60_000)
    }
  })

  it('is an XML document of published posts and guides with lastmod = updatedAt, and no drafts', async () => {
    const site = await makeSite()
    await site.put('post', { status: 'published' })
    await site.put('draft')
    await putGuide(site, 'guide')
    await putGuide(site, 'guide-draft', { status: 'draft' })
    const post = await site.json('/posts/post')
    const guide = await site.json('/guides/guide')
    const response = await site.get('/sitemap.xml')
    expect(response.headers.get('Content-Type')).toMatch(/^application\/xml(;|$)/)
    const xml = await response.text()
    expect(xml).toMatch(
      /^<\?xml version="1\.0" encoding="UTF-8"\?>\n<urlset xmlns="http:\/\/www\.sitemaps\.org\/schemas\/sitemap\/0\.9" xmlns:xhtml="http:\/\/www\.w3\.org\/1999\/xhtml">\n/,
    )
    expect(xml).toMatch(/<\/urlset>\n$/)
    expect(await urlsOf(site)).toEqual([
      { loc: 'https://site.example.com/blog/post', lastmod: post.updatedAt, links: {} },
      { loc: 'https://site.example.com/guides/guide', lastmod: guide.updatedAt, links: {} },
    ])
  })

  it('lists the home page when nothing is published', async ({ site }) => {
    await site.put('draft')
    expect(await urlsOf(site)).toEqual([{ loc: 'https://site.example.com/', lastmod: undefined, links: {} }])
    expect(await urlsOf(site, '/sitemap.xml?page=1')).toHaveLength(1)
  })

  it('uses the path templates of the site, with a prefix for another language', async () => {
    const site = await makeSite({
      domain: 'example.org',
      postPath: '/artikel/{slug}/',
      guidePath: '/hilfe/{slug}.html',
      defaultLanguage: 'de',
    })
    await putAll(site, [
      { slug: 'deutsch', language: 'DE', status: 'published' },
      { slug: 'english', language: 'en-GB', status: 'published' },
      { slug: 'ohne', status: 'published' },
    ])
    await putGuide(site, 'anfang')
    expect((await urlsOf(site)).map(({ loc }) => loc)).toEqual([
      'https://example.org/artikel/deutsch/',
      'https://example.org/artikel/ohne/',
      'https://example.org/en-GB/artikel/english/',
      'https://example.org/hilfe/anfang.html',
    ])
  })

  it('encodes slugs for URLs and URLs for XML', async () => {
    const site = await makeSite({ postPath: "/b&w's/{slug}" })
    await site.put(encodeURIComponent('日本'), { status: 'published' })
    const xml = await (await site.get('/sitemap.xml')).text()
    expect(xml).toContain('<loc>https://site.example.com/b&amp;w&apos;s/%E6%97%A5%E6%9C%AC</loc>')
  })
})

describe('hreflang', () => {
  const en = 'https://site.example.com/blog/hello'
  const de = 'https://site.example.com/de/blog/hallo'
  const fr = 'https://site.example.com/fr/blog/bonjour'

  async function translated(fields: Record<string, unknown> = {}) {
    const site = await makeSite()
    await putAll(site, [
      { slug: 'hello', language: 'en', status: 'published', ...fields },
      { slug: 'hallo', language: 'de', sourceSlug: 'hello', status: 'published' },
      { slug: 'bonjour', language: 'fr', sourceSlug: 'hello', status: 'published' },
      { slug: 'hola', language: 'es', sourceSlug: 'hello' },
      { slug: 'alone', language: 'en', status: 'published' },
    ])
    return site
  }

  it('lists every published version for each of them, including itself, and x-default', async () => {
    const site = await translated()
    const links = { en, de, fr, 'x-default': en }
    expect((await urlsOf(site)).map(({ loc, links }) => ({ loc, links }))).toEqual([
      { loc: 'https://site.example.com/blog/alone', links: {} },
      { loc: en, links },
      { loc: de, links },
      { loc: fr, links },
    ])
    await site.manage('PUT', '/posts/hola/publication')
    await site.manage('DELETE', '/posts/bonjour')
    const es = 'https://site.example.com/es/blog/hola'
    for (const { links } of (await urlsOf(site)).slice(1))
      expect(links).toEqual({ en, de, es, 'x-default': en })
  })

  it('has the source as x-default, whatever its language', async ({ site }) => {
    await putAll(site, [
      { slug: 'hallo', language: 'de', status: 'published' },
      { slug: 'hello', sourceSlug: 'hallo', status: 'published' },
      { slug: 'bonjour', language: 'fr', sourceSlug: 'hallo', status: 'published' },
    ])
    for (const { links } of await urlsOf(site)) expect(links).toEqual({ en, de, fr, 'x-default': de })
  })

  it('leaves out a draft source, and still groups its translations', async () => {
    const site = await translated({ status: 'draft' })
    const [, first, second] = await urlsOf(site)
    expect(first).toMatchObject({ loc: de, links: { de, fr } })
    expect(second!.links).toEqual(first!.links)
    expect(Object.keys(first!.links).sort()).toEqual(['de', 'fr', 'x-default'])
    expect([de, fr]).toContain(first!.links['x-default'])
  })
})

describe('page', () => {
  it('returns the only file as page 1, 404 beyond, and 400 for no page', async ({ site }) => {
    await site.put('a', { status: 'published' })
    expect(await urlsOf(site, '/sitemap.xml?page=1')).toEqual(await urlsOf(site))
    for (const page of ['2', '999999999999']) {
      expect(await errorOf(await site.get(`/sitemap.xml?page=${page}`), 404)).toBe('Not found')
    }
    expect(await errorOf(await site.get('/sitemap.xml?page=0'), 400)).toBe(
      'Invalid query parameter: page must be an integer of at least 1',
    )
  })

  it('refuses page or token given twice', async ({ site }) => {
    expect(await errorOf(await site.get('/sitemap.xml?page=1&page=1'), 400)).toBe(
      'Invalid query parameter: page must be given once',
    )
    const twice = `/sitemap.xml?token=${site.key}&token=${site.key}`
    expect((await site.get(twice, { key: null })).status).toBe(401)
    expect(await errorOf(await site.get(twice), 400)).toBe(
      'Invalid query parameter: token must be given once',
    )
  })
})
