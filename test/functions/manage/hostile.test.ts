import { describe, expect, it } from 'vitest'
import { call, makeSite, operatorToken, type Page, post, tryManage } from '../../support/site.ts'

const faq = (mainEntity: unknown) => ({ faqJsonLd: { '@type': 'FAQPage', mainEntity } })

describe('content that could be written but not read back is refused', () => {
  it.each([
    ['numbers that are written out in full', '{"a":1e308}', /faqJsonLd.a must be 0 or a number/],
    ['values that are not numbers', '{"a":1e999}', /faqJsonLd.a must be 0 or a number/],
    ['numbers too small', '{"a":1e-300}', /faqJsonLd.a must be 0 or a number/],
    ['a __proto__ key', '{"__proto__":{"a":1}}', /faqJsonLd has a key that must not be __proto__/],
    ['a NUL in a key', '{"\\u0000":1}', /faqJsonLd has a key that must not contain NUL/],
  ])('%s', async (_, json, error) => {
    const site = await makeSite()
    const body = `{"title":"T","contentHtml":"x","faqJsonLd":${json}}`
    const refused = await site.tryManage('PUT', '/posts/a', body)
    expect(refused).toMatchObject({ status: 400, body: { error: expect.stringMatching(error) } })
  })

  it('bytes that are not UTF-8', async () => {
    const bytes = new Uint8Array([
      ...new TextEncoder().encode('{"title":"'),
      0xff,
      ...new TextEncoder().encode('"}'),
    ])
    const response = await call('/manage/v1/sites', {
      method: 'POST',
      key: operatorToken,
      body: bytes as unknown as string,
      headers: { 'Content-Type': 'application/json' },
    })
    expect(response.status).toBe(400)
  })

  it('a publishedAt before the year 100', async () => {
    const site = await makeSite()
    const refused = await site.tryManage('PUT', '/posts/a', post({ publishedAt: '0049-01-01T00:00:00Z' }))
    expect(refused.body?.error).toBe('Invalid body: publishedAt must not be before the year 100')
  })

  it('a slug whose URL would be too long for a sitemap', async () => {
    const site = await makeSite()
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
  it('stays short, however many errors there are', async () => {
    const site = await makeSite()
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

  it.each([
    '1_------------------------------------',
    '999999999999999_00000000-0000-4000-8000-000000000000',
    '1_x',
    '',
  ])('for the cursor %s is 400', async (cursor) => {
    const site = await makeSite()
    for (const path of ['/events', '/deliveries']) {
      expect((await site.tryManage('GET', `${path}?cursor=${cursor}`)).status).toBe(400)
    }
    expect((await tryManage('GET', `/sites?cursor=${cursor}`)).status).toBe(400)
  })
})

describe('sources', () => {
  it('given by slug and by id are resolved by slug', async () => {
    const site = await makeSite()
    const a = await site.put('a')
    const b = await site.put('b')
    await site.put('c', { sourceSlug: 'a', sourcePostId: b.id })
    expect(await site.json('/posts/c')).toMatchObject({ sourcePostId: a.id })
  })

  it('given by id must not form a cycle, of two or of three', async () => {
    const site = await makeSite()
    const posts = ['x', 'y', 'z'].map((slug) => post({ slug }))
    const { items } = await site.manage('PUT', '/posts', { posts })
    const [x, y, z] = items.map((item) => item.id)
    for (const circle of [
      [post({ slug: 'x', sourcePostId: y }), post({ slug: 'y', sourcePostId: x })],
      [
        post({ slug: 'x', sourcePostId: y }),
        post({ slug: 'y', sourcePostId: z }),
        post({ slug: 'z', sourcePostId: x }),
      ],
    ]) {
      const refused = await site.tryManage('PUT', '/posts', { posts: circle })
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
  it.each([
    ['HTTPS://A.Example', 'https://a.example/'],
    ['https://a.example/Käse und "Brot"', 'https://a.example/K%C3%A4se%20und%20%22Brot%22'],
    ['urn:isbn:9783161484100', 'urn:isbn:9783161484100'],
  ])('%s is stored as %s', async (url, kept) => {
    const site = await makeSite()
    await site.put('a', { provenance: { sources: [{ url, title: 'A' }] } })
    const { provenance } = await site.json<{ provenance: unknown }>('/posts/a?include=provenance')
    expect(provenance).toEqual({ sources: [{ url: kept, title: 'A' }] })
  })

  it('must not contain a space', async () => {
    const site = await makeSite()
    const sources = [{ url: 'urn:isbn: 9783161484100', title: 'A' }]
    const refused = await site.tryManage('PUT', '/posts/a', post({ provenance: { sources } }))
    expect(refused.body?.error).toBe('Invalid body: provenance.sources[0].url must be a URL')
  })
})

describe('a body in a GET request', () => {
  it('is not read, even without Content-Length', async () => {
    const site = await makeSite()
    const headers = { 'Transfer-Encoding': 'chunked' }
    const response = await call(`/manage/v1${site.path}`, { key: operatorToken, headers })
    expect(response.status).toBe(200)
  })
})

describe('heavy but legal', () => {
  it('posts with long FAQs fit in one bulk put, and are read back', async () => {
    const site = await makeSite()
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

  it('HTML whose tags never match takes linear time', async () => {
    const site = await makeSite()
    const contentHtml = `${'<b>'.repeat(200_000)}word${'</i>'.repeat(200_000)}`
    await site.put('a', { contentHtml })
    expect(await site.json('/posts/a')).toMatchObject({ excerpt: 'word', contentHtml })
  })
})

describe("a schema bundle of the caller's own", () => {
  it('is stored when only its dates differ', async () => {
    const site = await makeSite()
    const bundle = (dateModified: string) => ({
      schemaBundle: { article: { dateModified }, breadcrumb: {}, faq: null },
    })
    await site.put('a', bundle('2020'))
    expect((await site.put('a', bundle('2024'))).outcome).toBe('updated')
    expect(await site.json('/posts/a')).toMatchObject(bundle('2024'))
  })
})
