import { exports } from 'cloudflare:workers'
import { describe, expect } from 'vitest'
import { call, it, makeSite, ORIGIN, operatorToken, type Page, post, tryManage } from '../../support/site.ts'

const faq = (mainEntity: unknown) => ({ faqJsonLd: { '@type': 'FAQPage', mainEntity } })

describe('content that could be written but not read back is refused', () => {
  // The rules are in test/src/db/json-value.test.ts.
  it('numbers that are written out in full, a __proto__ key and a NUL in a key', async ({ site }) => {
    for (const [json, error] of [
      ['{"a":1e308}', /faqJsonLd.a must be 0 or a number/],
      ['{"a":1e999}', /faqJsonLd.a must be 0 or a number/],
      ['{"__proto__":{"a":1}}', /faqJsonLd has a key that must not be __proto__/],
      ['{"\\u0000":1}', /faqJsonLd has a key that must not contain NUL/],
    ] as const) {
      const body = `{"title":"T","contentHtml":"x","faqJsonLd":${json}}`
      const refused = await site.tryManage('PUT', '/posts/a', body)
      expect(refused).toMatchObject({ status: 400, body: { error: expect.stringMatching(error) } })
    }
  })

  it('bytes that are not UTF-8', async () => {
    const body = new Uint8Array([...'{"title":"\xff"}'].map((byte) => byte.charCodeAt(0)))
    const request = {
      method: 'POST',
      body,
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${operatorToken}` },
    }
    const response = await exports.default.fetch(new Request(`${ORIGIN}/manage/v1/sites`, request))
    expect(response.status).toBe(400)
  })

  it('a publishedAt before the year 100', async ({ site }) => {
    const refused = await site.tryManage('PUT', '/posts/a', post({ publishedAt: '0049-01-01T00:00:00Z' }))
    expect(refused.body?.error).toBe('Invalid body: publishedAt must not be before the year 100')
  })

  it('a slug whose URL would be too long for a sitemap', async ({ site }) => {
    const refused = await site.tryManage('PUT', `/posts/${'字'.repeat(140)}`, post())
    expect(refused.body?.error).toMatch(/slug must be at most 1200 characters when percent-encoded/)
  })

  it('an invalid path template, or one with two slugs', async () => {
    for (const postPath of ['/a b/{slug}', '/{slug}/{slug}', '/%20/{slug}', '/ü/{slug}', '/{slug}?a', '//']) {
      const refused = await tryManage('POST', '/sites', { name: 'A', domain: 'a.example.com', postPath })
      expect(refused.body?.error).toMatch(/^Invalid body: postPath must be a path/)
    }
  })
})

describe('an error', () => {
  it('stays short, however many errors there are', async ({ site }) => {
    const wide = await site.tryManage('PUT', '/posts/a', post({ seo: { keywords: Array(130_000).fill(0) } }))
    expect(wide).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining('at most 10000 entries') },
    })
    const many = await site.tryManage('PUT', '/posts/a', post({ seo: { keywords: Array(9_000).fill(0) } }))
    expect(String(many.body?.error).length).toBeLessThan(2_000)
    const keys = Object.fromEntries(Array.from({ length: 9_000 }, (_, i) => [`k${i}`.repeat(50), 1]))
    const unknown = await site.tryManage('PUT', '/posts/a', post(keys))
    expect(String(unknown.body?.error).length).toBeLessThan(5_000)
  })

  it('for a malformed cursor is 400', async () => {
    const { path } = await makeSite()
    for (const cursor of [
      '1_------------------------------------',
      `999999999999999_${crypto.randomUUID()}`,
      '1_x',
      '',
    ])
      for (const below of [`${path}/events`, `${path}/deliveries`, '/sites'])
        expect((await tryManage('GET', `${below}?cursor=${cursor}`)).status, `${below} ${cursor}`).toBe(400)
  })
})

describe('sources', () => {
  it('given by slug and by id are resolved by slug', async ({ site }) => {
    const a = await site.put('a')
    const b = await site.put('b')
    await site.put('c', { sourceSlug: 'a', sourcePostId: b.id })
    expect(await site.json('/posts/c')).toMatchObject({ sourcePostId: a.id })
  })

  it('given by id must not form a cycle, of two or of three', async ({ site }) => {
    const posts = ['x', 'y', 'z'].map((slug) => post({ slug }))
    const { items } = await site.manage('PUT', '/posts', { posts })
    const [x, y, z] = items.map((item) => item.id)
    for (const circle of [
      { x: y, y: x },
      { x: y, y: z, z: x },
    ]) {
      const posts = Object.entries(circle).map(([slug, sourcePostId]) => post({ slug, sourcePostId }))
      const refused = await site.tryManage('PUT', '/posts', { posts })
      expect(refused.body?.error).toMatch(/^Invalid body: posts\[\d\]\.sourcePostId must not/)
    }
    for (const slug of ['x', 'y', 'z'])
      expect(await site.json(`/posts/${slug}`)).toMatchObject({ sourcePostId: null })
  })

  it('of another site do not exist', async () => {
    const [here, there] = [await makeSite(), await makeSite()]
    const { id } = await there.put('a')
    const refused = await here.tryManage('PUT', '/posts/b', post({ sourcePostId: id }))
    expect(refused.body?.error).toBe('Invalid body: sourcePostId must name a post of this site')
  })
})

describe('the URL of a source', () => {
  it('is stored as it is parsed, and must not contain a space', async ({ site }) => {
    const sources = (url: string) => ({ provenance: { sources: [{ url, title: 'A' }] } })
    for (const [url, kept] of [
      ['HTTPS://A.Example', 'https://a.example/'],
      ['https://a.example/Käse und "Brot"', 'https://a.example/K%C3%A4se%20und%20%22Brot%22'],
      ['urn:isbn:9783161484100', 'urn:isbn:9783161484100'],
    ] as const) {
      await site.put('a', sources(url))
      expect(await site.json('/posts/a?include=provenance')).toMatchObject(sources(kept))
    }
    const refused = await site.tryManage('PUT', '/posts/a', post(sources('urn:isbn: 9783161484100')))
    expect(refused.body?.error).toBe('Invalid body: provenance.sources[0].url must be a URL')
  })
})

describe('a body in a GET request', () => {
  it('is not read, even without Content-Length', async ({ site }) => {
    const headers = { 'Transfer-Encoding': 'chunked' }
    const response = await call(`/manage/v1${site.path}`, { key: operatorToken, headers })
    expect(response.status).toBe(200)
  })
})

describe('heavy but legal', () => {
  it('posts with long FAQs fit in one bulk put, and are read back', async ({ site }) => {
    const answer = { '@type': 'Answer', text: 'He said "so". '.repeat(40) }
    const questions = Array.from({ length: 80 }, (_, i) => ({
      '@type': 'Question',
      name: `Q${i}`,
      acceptedAnswer: answer,
    }))
    const posts = Array.from({ length: 90 }, (_, i) => post({ slug: `p${i}`, ...faq(questions) }))
    const { items } = await site.manage('PUT', '/posts', { posts })
    expect(items).toHaveLength(90)
    const page = await site.json<Page>('/posts?pageSize=50')
    expect(page.items).toHaveLength(50)
    expect(page.items[49]).toMatchObject(faq(questions))
    expect(page.items[49]!.schemaBundle).toMatchObject({ faq: faq(questions).faqJsonLd })
  })
})

describe("a schema bundle of the caller's own", () => {
  it('is stored when only its dates differ', async ({ site }) => {
    const bundle = (dateModified: string) => ({
      schemaBundle: { article: { dateModified }, breadcrumb: {}, faq: null },
    })
    await site.put('a', bundle('2020'))
    expect((await site.put('a', bundle('2024'))).outcome).toBe('updated')
    expect(await site.json('/posts/a')).toMatchObject(bundle('2024'))
  })
})
