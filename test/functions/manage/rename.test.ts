import { describe, expect } from 'vitest'
import { putGuide } from '../../support/content.ts'
import { it, makeSite, type Page, type TestSite } from '../../support/site.ts'
import { runSql } from '../../support/sql.ts'

type Json = Record<string, unknown>
type Bundle = { article: Json; breadcrumb: { itemListElement: { item: string }[] } }
type Feed = { items: { type: string; slug: string; id: string }[]; cursor: string }

const rename = (site: TestSite, from: string, to: string, kind = 'posts') =>
  site.manage('PUT', `/${kind}/${encodeURIComponent(from)}/slug`, { slug: to })
const tryRename = (site: TestSite, from: string, to: unknown, kind = 'posts') =>
  site.tryManage('PUT', `/${kind}/${from}/slug`, { slug: to })

describe('rename', () => {
  it('gives a post or guide another slug, and returns it', async ({ site }) => {
    const fields = { status: 'published', publishedAt: '2020-01-01T00:00:00Z' }
    const { id, updatedAt } = await site.put('old', fields)
    const renamed = await rename(site, 'old', 'café')
    const kept = { id, status: 'published', publishedAt: '2020-01-01T00:00:00.000Z' }
    expect(renamed).toEqual({ ...kept, slug: 'café', updatedAt: expect.any(String) })
    expect(String(renamed.updatedAt) > updatedAt).toBe(true)
    expect(await rename(site, 'café', 'café')).toEqual(renamed)
    expect(await (await site.get('/posts/old')).json()).toEqual({ error: 'Post not found' })
    expect(await site.json('/posts/caf%C3%A9')).toMatchObject({ id, updatedAt: renamed.updatedAt })

    await putGuide(site, 'g')
    expect(await rename(site, 'g', 'h', 'guides')).toMatchObject({ slug: 'h' })
    expect((await site.get('/guides/g')).status).toBe(404)
    expect((await site.get('/guides/h')).status).toBe(200)
  })

  it.each(['posts', 'guides'])('of %s is refused with 404, 409 or 400', async (kind) => {
    const site = await makeSite()
    for (const slug of ['a', 'b'])
      await site.manage('PUT', `/${kind}/${slug}`, { title: 'T', contentHtml: '' })
    expect((await tryRename(site, 'none', 'c', kind)).status).toBe(404)
    expect((await tryRename(site, '%2f', 'c', kind)).status).toBe(404)
    expect(await tryRename(site, 'a', 'b', kind)).toEqual({ status: 409, body: { error: 'Slug is taken' } })
    for (const wrong of ['', '..', 'a b', 'x'.repeat(201), null])
      expect((await tryRename(site, 'a', wrong, kind)).status).toBe(400)
    expect((await site.tryManage('PUT', `/${kind}/a/slug`, { slug: 'c', id: 1 })).status).toBe(400)
    expect((await tryRename(site, 'a', 'b.', kind)).status).toBe(200)
  })

  it('keeps the readiness, translations and quality band', async ({ site }) => {
    const { id } = await site.put('a', { trustScore: 90, language: 'en' })
    await site.put('b', { sourceSlug: 'a', language: 'fr' })
    await site.manage('PUT', '/posts/a/readiness')
    await rename(site, 'a', 'c')
    expect(await site.manage('PUT', '/posts/c/readiness')).toMatchObject({ alreadyReady: true })
    expect(await site.json('/posts/b')).toMatchObject({ sourcePostId: id })
    expect((await site.manage('GET', '/posts/b')).post.sourceSlug).toBe('c')
  })

  it.each(['pt-BR', 'EN'])('moves the URLs of a derived bundle, with the language %s', async (language) => {
    const site = await makeSite({ postPath: '/b/{slug}.html' })
    await site.put('old', { language, faqJsonLd: { '@type': 'FAQPage' }, status: 'published' })
    await rename(site, 'old', 'neu-é')
    const url = `https://site.example.com${language === 'pt-BR' ? '/pt-BR' : ''}/b/neu-%C3%A9.html`
    const { schemaBundle, updatedAt } = await site.json<{ schemaBundle: Bundle; updatedAt: string }>(
      '/posts/neu-%C3%A9',
    )
    expect(schemaBundle.article).toMatchObject({
      url,
      mainEntityOfPage: { '@type': 'WebPage', '@id': url },
      dateModified: updatedAt,
    })
    expect(schemaBundle.breadcrumb.itemListElement.map(({ item }) => item)).toEqual([
      'https://site.example.com/',
      url,
    ])
    const { post } = await site.manage('GET', '/posts/neu-é')
    expect(await site.manage('PUT', '/posts/neu-é', post)).toMatchObject({
      outcome: 'unchanged',
    })
  })

  it('keeps the parts of a bundle that the caller gave', async ({ site }) => {
    const whole = { article: { url: 'https://a.example/old' }, breadcrumb: {}, faq: null }
    await site.put('whole', { schemaBundle: whole })
    await site.put('part', { schemaBundle: { article: { mainEntityOfPage: 'https://a.example/old' } } })
    await rename(site, 'whole', 'whole-2')
    await rename(site, 'part', 'part-2')
    expect((await site.json('/posts/whole-2')).schemaBundle).toEqual(whole)
    expect((await site.json<{ schemaBundle: Bundle }>('/posts/part-2')).schemaBundle.article).toMatchObject({
      url: 'https://site.example.com/blog/part-2',
      mainEntityOfPage: 'https://a.example/old',
    })
  })

  it.each(['by the API', 'by SQL'])(
    '%s is a delete and an upsert in the feed, and reaches a poller',
    async (channel) => {
      const site = await makeSite()
      const { id, updatedAt } = await site.put('old')
      await putGuide(site, 'g')
      const { cursor } = await site.json<Feed>('/changes')
      if (channel === 'by the API') {
        await rename(site, 'old', 'new')
        await rename(site, 'g', 'h', 'guides')
      } else {
        await runSql("update posts set slug = 'new' where site_id = $1", [site.id])
        await runSql("update guides set slug = 'h' where site_id = $1", [site.id])
      }
      const { items } = await site.json<Feed>(`/changes?cursor=${cursor}`)
      expect(items.map(({ type, slug }) => `${type} ${slug}`)).toEqual([
        'delete old',
        'upsert new',
        'delete g',
        'upsert h',
      ])
      expect(items.slice(0, 2).map((item) => item.id)).toEqual([id, id])
      const page = await site.json<Page>(`/posts?updatedAfter=${updatedAt}`)
      expect(page.items.map(({ slug }) => slug)).toEqual(['new'])
      expect((await site.json<Page>(`/posts?updatedAfter=${page.items[0]!.updatedAt}`)).items).toEqual([])
    },
  )
})
