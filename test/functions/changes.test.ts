import { describe, expect } from 'vitest'
import { formatChangeCursor } from '../../src/content/changes.ts'
import { putGuide, putHeavy } from '../support/content.ts'

import { errorOf, it, makeSite, post, type TestSite } from '../support/site.ts'
import { runSql } from '../support/sql.ts'

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
  it('starts with all posts and published guides, oldest change first, and continues from its cursor', async () => {
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
    const first = await read(site, '?limit=2')
    expect([names(first), first.hasMore]).toEqual([['upsert guide g', 'upsert post b'], true])
    const second = await since(site, first, '&limit=2')
    expect([names(second), second.hasMore]).toEqual([['upsert post a'], false])
    expect((await since(site, second)).items).toEqual([])
    await site.put('b', { title: 'Newer' })
    expect(names(await since(site, second))).toEqual(['upsert post b'])
  })

  it('is 304 and free for a client that follows the cursors while nothing changes', async ({ site }) => {
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

  it('reports deleted posts, unpublished guides and old slugs', async ({ site }) => {
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
    await runSql(`update posts set slug = 'new' where site_id = $1 and slug = 'old'`, [site.id])
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
    await putHeavy(site)
    await putGuide(site, 'g')
    await putGuide(site, 'draft', { status: 'draft' })
    const first = await read(site, '?include=content')
    expect([names(first), first.hasMore]).toEqual([['upsert post heavy-1'], true])
    expect(first.items[0]!.post).toEqual(await site.json('/posts/heavy-1'))
    expect(first.items[0]).not.toHaveProperty('guide')
    const second = await since(site, first, '&include=content')
    expect(names(second)).toEqual(['upsert post heavy-2', 'upsert post light', 'upsert guide g'])
    expect(second.hasMore).toBe(false)
    expect(second.items[2]!.guide).toEqual(await site.json('/guides/g'))
    expect(second.items[2]).not.toHaveProperty('post')
    for (const { post, guide } of (await read(site)).items)
      expect([post, guide]).toEqual([undefined, undefined])
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

  it('hides deletions that may be pruned: a cursor from before them is 410, unless it had caught up since', async () => {
    const site = await makeSite()
    const daysAgo = (days: number) => Date.now() - days * 86_400_000
    for (const [slug, days] of Object.entries({ old: 92, young: 89 }))
      await runSql(
        `insert into tombstones (site_id, deleted_at, resource, resource_id, slug, status)
         values ($1, $2, 'post', gen_random_uuid(), $3, 'published')`,
        [site.id, new Date(daysAgo(days)).toISOString(), slug],
      )
    const asked = async (sequence: number, caughtUp: number) => {
      const cursor = await formatChangeCursor(site, {
        sequence: daysAgo(sequence),
        caughtUp: daysAgo(caughtUp),
      })
      return site.get(`/changes?cursor=${cursor}`)
    }
    expect(await errorOf(await asked(91, 91), 410)).toMatch(/again from its beginning/)
    expect((await (await asked(300, 1)).json<Feed>()).items).toMatchObject([
      { type: 'delete', slug: 'young' },
    ])
  })
})
