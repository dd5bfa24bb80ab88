import { sql } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { putGuide, putHeavy } from '../support/content.ts'
import { testContext } from '../support/context.ts'
import { errorOf, makeSite, post, type TestSite } from '../support/site.ts'
import { runSql, statementsOf } from '../support/sql.ts'
import { eventually, received, setWebhook } from '../support/webhook.ts'

type Change = {
  type: string
  resource: string
  slug: string
  sequence: number
  updatedAt: string
  post?: object
  guide?: object
}
type Feed = { items: Change[]; cursor: string; hasMore: boolean }

const read = (site: TestSite, query = '') => site.json<Feed>(`/changes${query}`)
const since = (site: TestSite, { cursor }: Feed, more = '') => read(site, `?cursor=${cursor}${more}`)
const names = (feed: Feed) => feed.items.map((item) => `${item.type} ${item.resource} ${item.slug}`)

describe('the change feed', () => {
  it('starts with all posts and published guides, oldest change first', async () => {
    const site = await makeSite()
    await site.put('a')
    await site.manage('PUT', '/guides/g', post({ status: 'published' }))
    await site.manage('PUT', '/guides/hidden', post())
    await site.put('b')
    await site.put('a', { title: 'Newer' })
    const feed = await read(site)
    expect(names(feed)).toEqual(['upsert guide g', 'upsert post b', 'upsert post a'])
    expect(feed.hasMore).toBe(false)
    const sequences = feed.items.map((item) => item.sequence)
    expect(sequences).toEqual([...sequences].sort((a, b) => a - b))
    expect(new Set(sequences).size).toBe(3)
  })

  it('continues from its cursor, a page at a time', async () => {
    const site = await makeSite()
    for (const slug of ['a', 'b', 'c']) await site.put(slug)
    const first = await read(site, '?limit=2')
    expect([names(first), first.hasMore]).toEqual([['upsert post a', 'upsert post b'], true])
    const second = await since(site, first, '&limit=2')
    expect([names(second), second.hasMore]).toEqual([['upsert post c'], false])
    expect((await since(site, second)).items).toEqual([])
    await site.put('a', { title: 'Newer' })
    expect(names(await since(site, second))).toEqual(['upsert post a'])
  })

  it('is 304 and free for a client that follows the cursors while nothing changes', async () => {
    const site = await makeSite()
    await site.put('a')
    let { cursor } = await read(site)
    let [etag, left] = ['', '']
    const statuses: number[] = []
    for (let poll = 0; poll < 4; poll++) {
      const response = await site.get(`/changes?cursor=${cursor}`, { headers: { 'If-None-Match': etag } })
      statuses.push(response.status)
      const text = await response.text()
      if (response.status === 200) cursor = (JSON.parse(text) as Feed).cursor
      etag = response.headers.get('ETag')!
      if (poll === 0) left = response.headers.get('X-RateLimit-Remaining')!
      expect(response.headers.get('X-RateLimit-Remaining')).toBe(left)
    }
    expect(statuses).toEqual([200, 304, 304, 304])
    await site.put('b')
    expect(names(await read(site, `?cursor=${cursor}`))).toEqual(['upsert post b'])
  })

  it('reports deleted posts, unpublished guides and old slugs', async () => {
    const site = await makeSite()
    const { id } = await site.put('a')
    await site.put('old')
    await site.manage('PUT', '/guides/g', post({ status: 'published' }))
    await site.manage('PUT', '/guides/h', post({ status: 'published' }))
    await site.manage('PUT', '/guides/draft', post())
    const before = await read(site)
    await site.manage('DELETE', '/posts/a')
    await site.manage('DELETE', '/guides/g/publication')
    await site.manage('DELETE', '/guides/h')
    await site.manage('DELETE', '/guides/draft')
    await testContext().db.execute(
      sql`update posts set slug = 'new' where site_id = ${site.id} and slug = 'old'`,
    )
    const after = await since(site, before)
    expect(names(after)).toEqual([
      'delete post a',
      'delete guide g',
      'delete guide h',
      'delete post old',
      'upsert post new',
    ])
    expect(after.items[0]).toEqual({
      type: 'delete',
      resource: 'post',
      id,
      slug: 'a',
      language: null,
      status: 'draft',
      sequence: expect.any(Number),
      updatedAt: expect.any(String),
    })
  })

  it('adds posts and published guides with include=content, and cuts a page that gets too large', async () => {
    const site = await makeSite()
    await putHeavy(site, 'posts')
    await putHeavy(site, 'guides')
    await putGuide(site, 'draft', { status: 'draft' })
    const first = await read(site, '?include=content')
    expect([names(first), first.hasMore]).toEqual([['upsert post heavy-1'], true])
    expect(first.items[0]!.post).toEqual(await site.json('/posts/heavy-1'))
    expect(first.items[0]).not.toHaveProperty('guide')
    const second = await since(site, first, '&include=content')
    const third = await since(site, second, '&include=content')
    expect(names(second)).toEqual(['upsert post heavy-2', 'upsert post light'])
    expect([names(third), third.hasMore]).toEqual([['upsert guide heavy-1'], true])
    const last = await since(site, third, '&include=content')
    expect([names(last), last.hasMore]).toEqual([['upsert guide heavy-2', 'upsert guide light'], false])
    expect(last.items[0]!.guide).toEqual(await site.json('/guides/heavy-2'))
    expect(last.items[1]!.guide).toEqual(await site.json('/guides/light'))
    expect(last.items[1]).not.toHaveProperty('post')
    for (const { post, guide } of (await read(site)).items)
      expect([post, guide]).toEqual([undefined, undefined])
  })

  it('takes two statements with include=content, and none for deleted articles', async () => {
    const site = await makeSite()
    await site.put('a')
    await putGuide(site, 'g')
    const before = await read(site)
    await site.put('a', { title: 'Newer' })
    await putGuide(site, 'g', { title: 'Newer' })
    expect(await statementsOf(() => since(site, before, '&include=content'))).toHaveLength(2)
    const after = await read(site)
    await site.manage('DELETE', '/guides/g')
    await site.manage('DELETE', '/posts/a')
    expect(await statementsOf(() => since(site, after, '&include=content'))).toHaveLength(1)
  })

  it('counts like the list, and is 304 while nothing changes', async () => {
    const site = await makeSite({ dailyQuota: 10 })
    await site.put('a')
    const response = await site.get('/changes')
    const etag = response.headers.get('ETag')!
    expect(response.headers.get('X-RateLimit-Remaining')).toBe('9')
    const again = await site.get('/changes', { headers: { 'If-None-Match': etag } })
    expect([again.status, again.headers.get('X-RateLimit-Remaining')]).toEqual([304, '9'])
    const star = await site.get('/changes', { headers: { 'If-None-Match': '*' } })
    expect([star.status, star.headers.get('X-RateLimit-Remaining')]).toEqual([304, '9'])
    await site.manage('DELETE', '/posts/a')
    expect((await site.get('/changes', { headers: { 'If-None-Match': etag } })).status).toBe(200)
  })

  it("refuses a malformed cursor, or another site's, without using quota", async () => {
    const [site, other] = [await makeSite(), await makeSite()]
    await other.put('a')
    const { cursor } = await read(other)
    for (const each of ['', 'x', cursor, `${cursor}0`]) {
      const response = await site.get(`/changes?cursor=${each}`)
      expect(await errorOf(response, 400)).toBe(
        "Invalid query parameter: cursor must be one of this site's change feed",
      )
    }
    expect((await site.get('/posts')).headers.get('X-RateLimit-Remaining')).toBe('999')
  })

  it('answers a cursor older than the retained deletions with 410 and instructions', async () => {
    const site = await makeSite()
    const { formatChangeCursor } = await import('../../src/content/changes.ts')
    const { getSiteScope } = await import('../../src/sites/sites.ts')
    const longAgo = Date.now() - 91 * 86_400_000
    const cursor = await formatChangeCursor(await getSiteScope(testContext(), site.id), {
      sequence: longAgo,
      caughtUp: longAgo,
    })
    expect(await errorOf(await site.get(`/changes?cursor=${cursor}`), 410)).toMatch(
      /again from its beginning/,
    )
  })

  it('hides a deletion that is old enough to be pruned, so that pruning changes no answer', async () => {
    const site = await makeSite()
    const { formatChangeCursor } = await import('../../src/content/changes.ts')
    const { getSiteScope } = await import('../../src/sites/sites.ts')
    const scope = await getSiteScope(testContext(), site.id)
    const daysAgo = (days: number) => Date.now() - days * 86_400_000
    for (const [slug, days] of [
      ['old', 92],
      ['young', 89],
    ] as const) {
      await runSql(
        `insert into tombstones (site_id, deleted_at, resource, resource_id, slug, status)
         values ($1, $2, 'post', gen_random_uuid(), $3, 'published')`,
        [site.id, new Date(daysAgo(days)).toISOString(), slug],
      )
    }
    const cursor = await formatChangeCursor(scope, { sequence: daysAgo(300), caughtUp: daysAgo(1) })
    expect((await read(site, `?cursor=${cursor}`)).items).toMatchObject([{ type: 'delete', slug: 'young' }])
  })

  it('keeps the cursor of an unchanged site valid, however old its last change', async () => {
    const site = await makeSite()
    const { formatChangeCursor } = await import('../../src/content/changes.ts')
    const { getSiteScope } = await import('../../src/sites/sites.ts')
    const longAgo = Date.now() - 300 * 86_400_000
    const cursor = await formatChangeCursor(await getSiteScope(testContext(), site.id), {
      sequence: longAgo,
      caughtUp: Date.now() - 2 * 86_400_000,
    })
    const feed = await read(site, `?cursor=${cursor}`)
    expect(feed.items).toEqual([])
    expect(feed.cursor).not.toBe(cursor)
  })
})

describe('article.ready', () => {
  it('has the same sequence as the change in the feed', async () => {
    const site = await makeSite()
    await setWebhook(site, 'ok')
    await site.put('draft', { trustScore: 91 })
    await site.manage('PUT', '/posts/draft/readiness')
    const { body } = await eventually(async () => (await received(site))[0])
    const feed = await read(site)
    expect(JSON.parse(body).sequence).toBe(feed.items.at(-1)!.sequence)
  })
})
