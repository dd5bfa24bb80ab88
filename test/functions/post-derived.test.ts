import { describe, expect } from 'vitest'
import { it, makeSite, post as withRequired } from '../support/site.ts'

type Json = Record<string, unknown>
type Bundle = { article: Json; breadcrumb: Json; faq: Json | null }

describe('derived', () => {
  it('derives excerpt, reading time and meta description from the body', async ({ site }) => {
    const contentHtml = `<style>p{}</style><p>Fish &amp; chips</p><p>${'word '.repeat(250)}</p>`
    await site.put('a', { contentHtml, seo: { ogTitle: 'Own' } })
    const post = await site.json<{ excerpt: string; seo: { metaDescription: string } }>('/posts/a')
    expect(post).toMatchObject({ readingTimeMinutes: 2, seo: { ogTitle: 'Own' } })
    expect(post.excerpt).toMatch(/^Fish & chips word( word)*…$/)
    expect(post.excerpt.length).toBeLessThanOrEqual(200)
    expect(post.seo.metaDescription).toMatch(/^Fish & chips word( word)*…$/)
    expect(post.seo.metaDescription.length).toBeLessThanOrEqual(160)
  })

  it('builds the schema.org bundle, with the dates of the post', async () => {
    const site = await makeSite({ domain: 'www.example.org', postPath: '/p/{slug}.html' })
    const faqJsonLd = { '@type': 'FAQPage', mainEntity: [] }
    await site.put('a', {
      title: 'Titel',
      language: 'de',
      excerpt: 'Kurz',
      faqJsonLd,
      seo: { keywords: ['x', 'y'] },
    })
    const url = 'https://www.example.org/de/p/a.html'
    const draft = await site.json<{ updatedAt: string; schemaBundle: Bundle }>('/posts/a')
    const article = {
      '@context': 'https://schema.org',
      '@type': 'BlogPosting',
      headline: 'Titel',
      description: 'Kurz',
      inLanguage: 'de',
      keywords: 'x, y',
      url,
      mainEntityOfPage: { '@type': 'WebPage', '@id': url },
    }
    const crumb = { '@type': 'ListItem' }
    expect(draft.schemaBundle).toEqual({
      article: { ...article, dateModified: draft.updatedAt },
      breadcrumb: {
        '@context': 'https://schema.org',
        '@type': 'BreadcrumbList',
        itemListElement: [
          { ...crumb, position: 1, name: 'www.example.org', item: 'https://www.example.org/' },
          { ...crumb, position: 2, name: 'Titel', item: url },
        ],
      },
      faq: faqJsonLd,
    })
    await site.manage('PUT', '/posts/a/publication')
    const post = await site.json<{ updatedAt: string; publishedAt: string; schemaBundle: Bundle }>('/posts/a')
    expect(post.schemaBundle.article).toEqual({
      ...article,
      dateModified: post.updatedAt,
      datePublished: post.publishedAt,
    })
  })

  it("keeps the given fields of the bundle's article, and derives the missing ones", async ({ site }) => {
    const given = {
      author: { '@type': 'Person', name: 'Ada' },
      articleSection: 'News',
      dateModified: '2020-01-02T03:04:05.000Z',
    }
    const article = async () => (await site.json<{ schemaBundle: Bundle }>('/posts/a')).schemaBundle.article
    await site.put('a', { title: 'First', schemaBundle: { article: given } })
    expect(await article()).toMatchObject({ ...given, headline: 'First', '@type': 'BlogPosting' })
    await site.manage('PUT', '/posts/a/publication')
    expect(await article()).toMatchObject({ ...given, datePublished: expect.any(String) })
    await site.put('a', { title: 'Second', schemaBundle: { article: { headline: 'Own' } } })
    const second = await article()
    expect(second).toMatchObject({ headline: 'Own', dateModified: expect.stringMatching(/^20[2-9]/) })
    expect(second).not.toHaveProperty('author')
  })

  it('fills the bundle from the metadata fields, unless the bundle is given', async ({ site }) => {
    const [canonicalUrl, modifiedAt] = ['https://else.example/a', '2020-01-02T03:04:05.006Z']
    const article = {
      author: [
        { '@type': 'Person', name: 'Ada', url: 'https://ada.example' },
        { '@type': 'Person', name: 'Bob' },
      ],
      articleSection: 'News',
      image: { '@type': 'ImageObject', url: '/a.png', caption: 'An A' },
      mainEntityOfPage: { '@type': 'WebPage', '@id': canonicalUrl },
      dateModified: modifiedAt,
    }
    const fields = {
      authors: [{ name: 'Ada', url: 'https://ada.example' }, { name: 'Bob' }],
      image: { url: '/a.png', alt: 'An A', width: 3 },
      ...{ categories: ['News'], tags: ['x', 'y'], canonicalUrl, modifiedAt },
    }
    const read = () => site.json<{ schemaBundle: Bundle; seo: unknown }>('/posts/a?fields=seo,schemaBundle')
    const body = (more: object) => ({ status: 'published', publishedAt: '2020-01-01T00:00:00Z', ...more })
    await site.put('a', body({ seo: { keywords: ['x', 'y'] }, schemaBundle: { article } }))
    const { schemaBundle, seo } = await read()
    expect(await site.put('a', body(fields))).toMatchObject({ outcome: 'updated' })
    expect(await read()).toMatchObject({ schemaBundle, seo })
    expect(await (await site.get('/sitemap.xml')).text()).toContain(`<lastmod>${modifiedAt}`)
    expect(await site.put('a', body({ ...fields, authors: null }))).toMatchObject({ outcome: 'updated' })
    expect((await read()).schemaBundle.article).not.toHaveProperty('author')

    await site.put('a', body(fields))
    const { id: _, ...shown } = await site.json('/posts/a')
    expect(await site.put('a', shown)).toMatchObject({ outcome: 'unchanged' })
    await site.put('a', { ...shown, title: 'Edited', tags: ['z'] })
    expect((await site.json('/posts/a?include=metadata')).metadata).toMatchObject({
      ...fields,
      ...{ authors: [{ name: 'Ada' }, { name: 'Bob' }], tags: ['z'] },
    })

    await site.put(
      'a',
      body({ ...fields, schemaBundle: { article: { author: 'Own', dateModified: '2019-01-01T00:00:00Z' } } }),
    )
    await site.manage('PUT', '/posts/a/slug', { slug: 'b' })
    const renamed = await site.json<{ schemaBundle: Bundle; metadata: unknown }>('/posts/b?include=metadata')
    expect(renamed.schemaBundle.article).toMatchObject({
      ...{ author: 'Own', mainEntityOfPage: article.mainEntityOfPage, dateModified: '2019-01-01T00:00:00Z' },
      url: expect.stringMatching(/\/b$/),
    })
    expect(renamed.metadata).toMatchObject({
      authors: [{ name: 'Ada' }, { name: 'Bob' }],
      modifiedAt: '2019-01-01T00:00:00.000Z',
    })
  })

  it('changes nothing when a post is put again with the same article, or as it was read', async () => {
    const site = await makeSite()
    const body = { title: 'T', schemaBundle: { article: { author: 'Ada', dateModified: '2020-01-02' } } }
    await site.put('a', body)
    expect(await site.put('a', body)).toMatchObject({ outcome: 'unchanged' })
    const { schemaBundle } = await site.json<{ schemaBundle: Bundle }>('/posts/a')
    expect(await site.put('a', { ...body, schemaBundle })).toMatchObject({ outcome: 'unchanged' })
    for (const part of [{ breadcrumb: {} }, { faq: null }]) {
      const half = withRequired({ schemaBundle: { article: {}, ...part } })
      expect((await site.tryManage('PUT', '/posts/a', half)).body).toMatchObject({
        error: 'Invalid body: schemaBundle must have both breadcrumb and faq, or neither',
      })
    }
    await site.put('a', { ...body, title: 'U', schemaBundle: { article: { author: 'Ada' } } })
    const edited = await site.json<{ schemaBundle: Bundle; updatedAt: string }>('/posts/a')
    expect(edited.schemaBundle.article).toMatchObject({ author: 'Ada', dateModified: edited.updatedAt })
  })

  it('takes the quality band of the trust score unless one is given, and shows no score', async () => {
    const site = await makeSite()
    await site.put('a', { trustScore: 98.765, qualityBand: 'review' })
    await site.put('b', { trustScore: 84.999 })
    expect(await site.json('/posts/b')).toMatchObject({ qualityBand: 'standard' })
    const text = await (await site.get('/posts/a')).text()
    expect(JSON.parse(text)).toMatchObject({ qualityBand: 'review' })
    expect(text).not.toMatch(/trust|score|98\.765/i)
  })
})
