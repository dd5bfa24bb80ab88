import { describe, expect } from 'vitest'
import { it, makeSite, type Page, post } from '../../support/site.ts'
import { runSql } from '../../support/sql.ts'

describe('put', () => {
  it('accepts a body of 8 MiB, however much of it is escaped', async ({ site }) => {
    const contentHtml = '"'.repeat(4_190_000)
    expect(await site.put('a', { contentHtml })).toMatchObject({ outcome: 'created' })
    expect((await site.json<{ contentHtml: string }>('/posts/a')).contentHtml === contentHtml).toBe(true)
  })

  it('without a change keeps updatedAt and ETag', async ({ site }) => {
    const fields = {
      title: 'Same',
      excerpt: 'As it was',
      publishedAt: '2020-02-29T12:00:00+02:00',
      status: 'published',
      trustScore: 77.5,
      language: 'de',
      seo: { keywords: ['b', 'a'], ogTitle: 'T' },
      faqJsonLd: { '@type': 'FAQPage', mainEntity: [] },
      provenance: { sources: [{ url: 'https://example.org/a', title: 'A', claims: ['x'] }] },
    }
    const first = await site.put('a', fields)
    expect(first.outcome).toBe('created')
    const etag = (await site.get('/posts')).headers.get('ETag')
    const second = await site.put('a', fields)
    expect(second).toEqual({ ...first, outcome: 'unchanged' })
    expect((await site.get('/posts')).headers.get('ETag')).toBe(etag)
  })

  it("accepts the API's own answer without its id, and changes nothing: the score and the readiness stay", async () => {
    const site = await makeSite()
    await site.put('source')
    await site.put('published', { sourceSlug: 'source', language: 'fr', trustScore: 90, status: 'published' })
    await site.put('ready', { trustScore: 88, faqJsonLd: { '@type': 'FAQPage', mainEntity: [] } })
    await site.manage('PUT', '/posts/ready/readiness')
    for (const slug of ['published', 'ready']) {
      const { id: _, ...read } = await site.json(`/posts/${slug}?include=provenance`)
      const again = await site.manage('PUT', `/posts/${slug}`, read)
      expect(again).toMatchObject({ outcome: 'unchanged', updatedAt: read.updatedAt })
    }
  })

  it('keeps status and publishedAt when they are left out', async ({ site }) => {
    await site.put('a', { status: 'published', publishedAt: '2011-01-01T00:00:00Z' })
    expect(await site.put('a', { title: 'Edited' })).toMatchObject({ outcome: 'updated' })
    expect(await site.json('/posts/a')).toMatchObject({
      title: 'Edited',
      status: 'published',
      publishedAt: '2011-01-01T00:00:00.000Z',
    })
  })

  it('refuses unknown fields, wrong types and unstorable text, with the field and the rule', async () => {
    const site = await makeSite()
    const refusal = async (fields: object) =>
      String((await site.tryManage('PUT', '/posts/a', fields)).body!.error).replace('Invalid body: ', '')
    expect(await refusal(post({ titel: 'x' }))).toBe('titel is not a known field')
    expect(await refusal({ contentHtml: 'x' })).toBe('title is required')
    const two = post({ title: 3, trustScore: 101 })
    expect(await refusal(two)).toBe('title must be a string; trustScore must be at most 100')
    expect(await refusal(post({ title: 'a\0b' }))).toBe('title must not contain NUL')
    const broken = post({ seo: { keywords: ['\ud800'] } })
    expect(await refusal(broken)).toBe('seo.keywords[0] must be well-formed Unicode')
    const noDay = post({ publishedAt: '2020-02-30T00:00:00Z' })
    expect(await refusal(noDay)).toBe('publishedAt must be an RFC 3339 date-time with offset')
    expect(await refusal(post({ slug: 'b' }))).toBe('slug must match the slug in the path')
    expect(await site.json<Page>('/posts')).toMatchObject({ total: 0 })
  })

  it.each(['posts', 'guides'])('refuses an id in %s, since the slug identifies it', async (kind) => {
    const site = await makeSite()
    const id = crypto.randomUUID()
    const one = await site.tryManage('PUT', `/${kind}/a`, post({ id }))
    expect(one).toMatchObject({ status: 400, body: { error: 'Invalid body: id is not a known field' } })
    const many = { [kind]: [post({ slug: 'a' }), post({ slug: 'b', id })] }
    const bulk = await site.tryManage('PUT', `/${kind}`, many)
    expect(bulk).toMatchObject({
      status: 400,
      body: { error: `Invalid body: ${kind}[1].id is not a known field` },
    })
  })
})

describe('a refused body', () => {
  it('has its issues as data too, each with the path of its field', async ({ site }) => {
    const issues = async (below: string, fields: object) =>
      (await site.tryManage('PUT', below, fields)).body!.issues
    expect(await issues('/posts/a', post({ title: 3, trustScore: 101, 'a; b': 1 }))).toEqual([
      { path: 'title', message: 'must be a string' },
      { path: 'trustScore', message: 'must be at most 100' },
      { path: 'a; b', message: 'is not a known field' },
    ])
    expect(await issues('/posts/a', post({ seo: { keywords: ['\ud800'] } }))).toEqual([
      { path: 'seo.keywords[0]', message: 'must be well-formed Unicode' },
    ])
    const twice = [post({ slug: 'a' }), post({ slug: 'a' })]
    expect(await issues('/posts', { posts: twice })).toEqual([
      { path: 'posts[0].slug', message: 'must not be given twice' },
    ])
    expect(await issues('/guides', { guides: twice })).toEqual([
      { path: 'guides[0].slug', message: 'must not be given twice' },
    ])
    expect(await issues('/webhook', { url: 'http://acme.com/' })).toEqual([
      { path: 'url', message: 'must use https' },
    ])
  })
})

describe('bulk put', () => {
  it('returns an outcome for each post, in order, and sets updatedAt in that order', async ({ site }) => {
    await site.put('b')
    const posts = ['c', 'b', 'a'].map((slug) => post({ slug }))
    const { items } = await site.manage('PUT', '/posts', { posts })
    expect(items.map((item) => [item.slug, item.outcome])).toEqual([
      ['c', 'created'],
      ['b', 'unchanged'],
      ['a', 'created'],
    ])
    const page = await site.json<Page>('/posts')
    expect(page.items.map((item) => item.slug)).toEqual(['a', 'c', 'b'])
    expect(new Set(page.items.map((item) => item.updatedAt)).size).toBe(3)
  })

  it('is all or nothing', async ({ site }) => {
    const posts = [post({ slug: 'a' }), post({ slug: 'b', sourceSlug: 'nowhere' })]
    expect(await site.tryManage('PUT', '/posts', { posts })).toEqual({
      status: 400,
      body: {
        error: 'Invalid body: posts[1].sourceSlug must name a post of this site',
        issues: [{ path: 'posts[1].sourceSlug', message: 'must name a post of this site' }],
      },
    })
    expect(await site.json<Page>('/posts')).toMatchObject({ total: 0 })
  })

  it('resolves sources within the batch, in any order, and flattens chains to the original', async () => {
    const site = await makeSite()
    const posts = [
      post({ slug: 'c', sourceSlug: 'b' }),
      post({ slug: 'b', sourceSlug: 'a' }),
      post({ slug: 'a' }),
    ]
    const { items } = await site.manage('PUT', '/posts', { posts })
    const a = items.find((item) => item.slug === 'a')!.id
    for (const slug of ['b', 'c'])
      expect(await site.json(`/posts/${slug}`)).toMatchObject({ sourcePostId: a })
    // Translations follow when their source becomes a translation itself.
    const { id } = await site.put('original')
    await site.put('a', { sourceSlug: 'original' })
    expect(await site.json('/posts/c')).toMatchObject({ sourcePostId: id })
  })

  it('reports the updatedAt that each post ends up with, also if its source becomes a translation', async () => {
    const site = await makeSite()
    await site.put('c')
    const { id: sourcePostId } = await site.put('b')
    const posts = [post({ slug: 'b', sourceSlug: 'c' }), post({ slug: 'a', sourcePostId })]
    const { items } = await site.manage('PUT', '/posts', { posts })
    for (const { slug, updatedAt } of items)
      expect(await site.json(`/posts/${slug}`)).toMatchObject({ updatedAt })
  })

  it('refuses cycles, duplicates and more than 100 posts', async ({ site }) => {
    const put = async (posts: object[]) => (await site.tryManage('PUT', '/posts', { posts })).body?.error
    const back = /posts\[0\].sourceSlug must not lead back/
    expect(await put([post({ slug: 'a', sourceSlug: 'a' })])).toMatch(back)
    expect(await put([post({ slug: 'a', sourceSlug: 'b' }), post({ slug: 'b', sourceSlug: 'a' })])).toMatch(
      back,
    )
    const many = Array.from({ length: 101 }, (_, i) => post({ slug: `p${i}` }))
    expect(await put(many)).toBe('Invalid body: posts must be at most 100 items')
    await site.put('x')
    await site.put('y', { sourceSlug: 'x' })
    expect((await site.tryManage('PUT', '/posts/x', post({ sourceSlug: 'y' }))).body?.error).toBe(
      'Invalid body: sourceSlug must not be a translation of this post',
    )
  })
})

describe('publication', () => {
  it('keeps a ready draft ready, until it is edited', async ({ site }) => {
    await site.put('a', { trustScore: 70 })
    const ready = await site.manage('PUT', '/posts/a/readiness')
    expect(ready).toMatchObject({ alreadyReady: false })
    expect(await site.manage('PUT', '/posts/a/readiness')).toEqual({ ...ready, alreadyReady: true })
    await site.put('a', { trustScore: 71 })
    const again = await site.manage('PUT', '/posts/a/readiness')
    expect(String(again.updatedAt) > String(ready.updatedAt)).toBe(true)
  })
})

describe('delete', () => {
  it('removes the post and unlinks its translations', async ({ site }) => {
    await site.put('a')
    const before = await site.put('b', { sourceSlug: 'a' })
    expect(await site.tryManage('DELETE', '/posts/a')).toEqual({ status: 204, body: null })
    expect((await site.get('/posts/a')).status).toBe(404)
    const freed = await site.json('/posts/b')
    expect(freed.sourcePostId).toBeNull()
    expect(String(freed.updatedAt) > before.updatedAt).toBe(true)
    expect((await site.tryManage('DELETE', '/posts/a')).status).toBe(404)
  })

  it('of the newest post does not make updatedAt go back', async ({ site }) => {
    // As after more than 1,000 written posts a second.
    await runSql("update sites set last_sequence = now() + interval '1 minute' where id = $1", [site.id])
    const newest = await site.put('a')
    expect(Date.parse(newest.updatedAt)).toBeGreaterThan(Date.now())
    await site.manage('DELETE', '/posts/a')
    const next = await site.put('next')
    expect(next.updatedAt > String(newest.updatedAt)).toBe(true)
  })
})
