import { describe, expect } from 'vitest'
import { listArticles } from '../../src/content/articles/read.ts'
import { POST } from '../../src/content/posts/post.ts'
import { memoryStore } from '../../src/sdk/client.ts'
import { makeKey, putGuide, putHeavy, rateOf, UNCOUNTED } from '../support/content.ts'
import { testContext } from '../support/context.ts'
import { operationsOf, pathOf, readDocument, takesToken } from '../support/openapi.ts'
import { connect, copyIn } from '../support/sdk.ts'
import { call, errorOf, it, makeSite, type Page, post, type TestSite } from '../support/site.ts'

type Feed = { items: { type: string; resource: string; slug: string; post?: object }[]; cursor: string }

const SECRET = 'Not for the world'

/** A site with a published post and a draft of each kind, read with a key for published content. */
async function seenByTheWorld() {
  const site = await makeSite({ trainingOptIn: true })
  await site.put('draft', { title: SECRET, language: 'en' })
  await site.put('out', { title: 'Out', status: 'published', language: 'en' })
  await putGuide(site, 'hidden', { title: SECRET, status: 'draft' })
  await putGuide(site, 'shown')
  const { key } = await makeKey(site, { access: 'published' })
  return { site, world: { ...site, ...keyed(site, key) } }
}

function keyed(site: TestSite, key: string) {
  const get: TestSite['get'] = (below, options = {}) => site.get(below, { key, ...options })
  const json: TestSite['json'] = async (below) => {
    const response = await get(below)
    if (!response.ok) throw new Error(`${below}: ${response.status} ${await response.text()}`)
    return response.json()
  }
  return { key, get, json }
}

const listed = ({ items, total }: Page) => [items.map(({ slug }) => slug), total]
const names = (feed: Feed) => feed.items.map((item) => `${item.type} ${item.resource} ${item.slug}`)

describe('a key for published content', () => {
  it('reads published posts, guides, the feed, the sitemap and redirects', async () => {
    const { site, world } = await seenByTheWorld()
    expect(await world.json('/posts/out')).toEqual(await site.json('/posts/out'))
    expect(await world.json('/guides/shown')).toEqual(await site.json('/guides/shown'))
    expect(await world.json('/guides')).toEqual(await site.json('/guides'))
    expect(await world.json('/redirects')).toEqual({ items: [] })
    expect(names(await world.json('/changes'))).toEqual(['upsert post out', 'upsert guide shown'])
    for (const options of [{}, { key: null }]) {
      const path = options.key === null ? `/sitemap.xml?token=${world.key}` : '/sitemap.xml'
      expect(await (await world.get(path, options)).text()).toContain('/blog/out')
    }
  })

  it('finds no drafts, for any request, and has tags of its own', async () => {
    const { site, world } = await seenByTheWorld()
    const { key, ...full } = site
    expect(await errorOf(await world.get('/posts/draft'), 404)).toBe('Post not found')
    expect(await errorOf(await world.get('/posts/draft?include=provenance&fields=title'), 404)).toBe(
      'Post not found',
    )
    // Also after a key with access to drafts has loaded the same bodies.
    await full.get('/posts/draft')
    expect((await world.get('/posts/draft')).status).toBe(404)
    const queries = ['', '?status=all', '?status=published', '?search=o', '?language=en', '?sort=publishedAt']
    for (const query of [...queries, '?updatedAfter=1970-01-01T00:00:00Z']) {
      await full.get(`/posts${query}`)
      expect(listed(await world.json(`/posts${query}`)), query).toEqual([['out'], 1])
    }
    for (const below of ['/posts', '/posts/out', '/changes', '/posts?status=draft']) {
      const headers = { 'If-None-Match': (await world.get(below)).headers.get('ETag')! }
      const statuses = [
        (await world.get(below, { headers })).status,
        (await full.get(below, { headers, key })).status,
      ]
      expect(statuses, below).toEqual([304, 200])
    }
    for (const query of ['', '&search=world', '&language=en', '&updatedAfter=1970-01-01T00:00:00Z']) {
      await full.get(`/posts?status=draft${query}`)
      const empty = { items: [], page: 1, pageSize: 12, total: 0, totalPages: 0 }
      expect(await world.json(`/posts?status=draft${query}`), query).toEqual(empty)
    }
    for (const below of ['/changes?include=content', '/sitemap.xml', '/guides', '/redirects', '/posts'])
      expect(await (await world.get(below)).text()).not.toMatch(/draft|hidden|Not for/)
  })

  it('is refused everywhere else, like a key without access', async () => {
    const { world } = await seenByTheWorld()
    const opened = ['/posts', '/posts/{slug}', '/guides', '/guides/{slug}', '/changes', '/redirects']
    const operations = operationsOf(await readDocument('/api/v1')).filter((each) => !takesToken(each))
    const others = operations.filter(({ path }) => !opened.includes(path.replace('/sites/{siteId}', '')))
    expect(others.map(({ operationId }) => operationId).sort()).toEqual(['exportTraining', 'testWebhook'])
    for (const operation of others) {
      const headers = { Authorization: `Bearer ${world.key}` }
      const response = await call(`/api/v1${pathOf(operation, world.id)}`, {
        method: operation.method,
        headers,
      })
      expect(await errorOf(response, 401)).toBe('Missing or invalid API key')
    }
    expect(await errorOf(await world.get('/training/export?after=x'), 401)).toBe('Missing or invalid API key')
    expect(await errorOf(await world.get('/posts?pageSize=0'), 400)).toMatch('pageSize')
    expect(await errorOf(await world.get('/changes?cursor=x'), 400)).toMatch('cursor')
  })

  it('counts with the site’s other requests', async () => {
    const { site, world } = await seenByTheWorld()
    const before = rateOf(await site.get('/posts?page=2'))
    const after = rateOf(await world.get('/posts'))
    expect(after).toMatchObject({ limit: before.limit, remaining: before.remaining! - 1 })
    expect(rateOf(await world.get('/guides'))).toEqual(UNCOUNTED)
  })
})

describe('the feed of a key for published content', () => {
  it('reports posts that were unpublished, renamed or deleted, and nothing about drafts', async () => {
    const { site, world } = await seenByTheWorld()
    for (const slug of ['old', 'gone', 'both']) await site.put(slug, { status: 'published' })
    const { cursor } = await world.json<Feed>('/changes')
    const full = await site.json<Feed>('/changes')
    await site.manage('PUT', '/posts/draft/slug', { slug: 'draft-2' })
    await site.put('draft-2', { title: SECRET, contentHtml: '<p>Changed</p>' })
    await site.manage('DELETE', '/posts/draft-2')
    await site.manage('DELETE', '/posts/out/publication')
    await site.put('out', { title: 'Out', contentHtml: '<p>As a draft</p>' })
    await site.manage('PUT', '/posts/out/slug', { slug: 'out-2' })
    await site.manage('PUT', '/posts/old/slug', { slug: 'new' })
    await site.manage('DELETE', '/posts/gone')
    await site.manage('DELETE', '/posts/both/publication')
    await site.manage('PUT', '/posts/both/publication')
    expect(names(await world.json(`/changes?cursor=${cursor}`))).toEqual([
      'delete post out',
      'delete post old',
      'upsert post new',
      'delete post gone',
      'delete post both',
      'upsert post both',
    ])
    expect(names(await site.json(`/changes?cursor=${full.cursor}`))).toEqual([
      'delete post draft',
      'delete post draft-2',
      'delete post out',
      'upsert post out-2',
      'delete post old',
      'upsert post new',
      'delete post gone',
      'upsert post both',
    ])
  })

  it('keeps a copy of the published content correct', async () => {
    const { site, world } = await seenByTheWorld()
    const store = memoryStore()
    const { client } = connect(site, { key: world.key })
    await client.sync(store)
    expect(await copyIn(store)).toEqual(['guide shown: A title', 'post out: Out'])
    await site.manage('PUT', '/posts/draft/publication')
    await site.manage('DELETE', '/posts/out/publication')
    await site.manage('DELETE', '/guides/shown/publication')
    await client.sync(store)
    expect(await copyIn(store)).toEqual([`post draft: ${SECRET}`])
    await site.manage('DELETE', '/posts/draft/publication')
    await site.manage('DELETE', '/posts/draft')
    await site.put('out', post({ title: 'Out again', status: 'published' }))
    await client.sync(store)
    expect(await copyIn(store)).toEqual(['post out: Out again'])
  })
})

it('a large page that is read while one of its posts is unpublished leaves that post out', async () => {
  const site = await makeSite()
  await putHeavy(site)
  const all = { page: 1, pageSize: 12, search: null, language: null, updatedAfter: null, fields: null }
  const input = { ...all, sort: 'publishedAt' } as const
  const { items, following } = await listArticles(testContext(), POST, site, 'published', input)
  expect(items.map((item) => JSON.parse(item).slug)).toEqual(['heavy-2'])
  await site.manage('DELETE', '/posts/heavy-1/publication')
  for await (const item of following!) expect(JSON.parse(item).slug).toBe('not there')
})
