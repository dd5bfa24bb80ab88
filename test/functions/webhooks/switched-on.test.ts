import { sql } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { setArticleStatuses } from '../../../src/content/articles/transitions.ts'
import { POST } from '../../../src/content/posts/post.ts'
import { putPosts } from '../../../src/content/posts/put.ts'
import { getSiteScope } from '../../../src/sites/sites.ts'
import { payloadSchema } from '../../../src/webhooks/event-kinds.ts'
import { lossyQueue, testContext } from '../../support/context.ts'
import { hand, heard, listening, outboxOf } from '../../support/outbox.ts'
import { post, type TestSite } from '../../support/site.ts'
import { runSql, statementsByCall } from '../../support/sql.ts'
import { addWebhook, received, switchOn } from '../../support/webhook.ts'

/** Completes `update posts` or `delete`, for the posts of a site. */
function inOneTransaction({ id }: TestSite, changes: string) {
  const statements = changes
    .split('; ')
    .map((change) => (change === 'delete' ? 'delete from posts' : `update posts ${change}`))
    .map((statement) => `${statement} where site_id = '${id}';`)
  return runSql(`do $$ begin ${statements.join(' ')} end $$`)
}

/** The statements of each call that writes. A sweep of another runtime may make the service read the versions again. */
async function writesOf(work: () => Promise<unknown>) {
  const calls = await statementsByCall(work)
  return calls.filter((statements) => statements.some((text) => text.includes('lock_site')))
}

describe('an optional event', () => {
  it('reports that a post was published, changed, renamed, unpublished or deleted, as described', async () => {
    const site = await listening()
    const { id } = await site.put('a', { status: 'published', language: 'en' })
    await site.put('a', { title: 'Another', language: 'en' })
    await site.manage('PUT', '/posts/a/slug', { slug: 'b' })
    await site.manage('DELETE', '/posts/b/publication')
    await site.put('b', { title: 'A draft that changes', language: 'en' })
    await site.manage('PUT', '/posts/b/publication')
    const { cursor } = await site.json('/changes')
    await site.manage('DELETE', '/posts/b')
    const bodies = (await heard(site, 6)).toSorted((a, b) => a.sequence - b.sequence)
    expect(
      bodies.map(({ event, slug, title, status, previousSlug }) => [
        event,
        slug,
        title,
        status,
        previousSlug,
      ]),
    ).toEqual([
      ['post.published', 'a', 'A title', 'published', undefined],
      ['post.updated', 'a', 'Another', 'published', null],
      ['post.updated', 'b', 'Another', 'published', 'a'],
      ['post.unpublished', 'b', 'Another', 'draft', undefined],
      ['post.published', 'b', 'A draft that changes', 'published', undefined],
      ['post.deleted', 'b', undefined, undefined, undefined],
    ])
    for (const body of bodies) {
      expect(z.strictObject(payloadSchema(body.event as 'post.updated').shape).parse(body)).toEqual(body)
      expect(body).toMatchObject({ siteId: site.id, postId: id, sequence: Date.parse(body.at) })
    }
    const { at, sequence } = bodies.at(-1)!
    expect(await site.json(`/changes?cursor=${cursor}`)).toMatchObject({
      items: [{ type: 'delete', id, sequence, updatedAt: at }],
    })
    expect(bodies.at(-1)).not.toHaveProperty('fetch')
  })

  it('for a post that is a draft again has the title that was public', async () => {
    const site = await listening()
    await site.put('a', { status: 'published', title: 'Public' })
    await site.put('a', { status: 'draft', title: 'Not to be told' })
    expect((await heard(site, 2)).find(({ event }) => event === 'post.unpublished')).toMatchObject({
      ...{ title: 'Public', slug: 'a', status: 'draft' },
    })
  })

  it('is not sent for an unchanged post, a draft or a guide', async () => {
    const site = await listening()
    await site.put('a', { status: 'published' })
    await site.put('a', { status: 'published' })
    await site.manage('PUT', '/posts/a/publication')
    await site.manage('PUT', '/posts/a/slug', { slug: 'a' })
    await site.put('draft')
    await site.put('draft', { title: 'Changed' })
    await site.manage('DELETE', '/posts/draft')
    await site.tryManage('DELETE', '/posts/draft')
    await site.manage('PUT', '/guides/a', post({ status: 'published' }))
    expect(await outboxOf(site)).toMatchObject([{ event: 'post.published' }])
  })

  it('is sent once per commit, though translations follow their source', async () => {
    const site = await listening()
    const [root, middle] = [
      await site.put('root', { status: 'published' }),
      await site.put('middle', { status: 'published' }),
    ]
    await site.put('leaf', { status: 'published', sourcePostId: middle.id })
    await testContext().db.execute(sql`delete from webhook_events where site_id = ${site.id}`)
    // The leaf is written by the put, and again since its source becomes a translation itself.
    await site.manage('PUT', '/posts', {
      posts: [
        { ...post({ title: 'Leaf' }), slug: 'leaf', sourcePostId: middle.id },
        { ...post(), slug: 'middle', sourcePostId: root.id },
      ],
    })
    expect(await site.json('/posts/leaf')).toMatchObject({ sourcePostId: root.id })
    const rows = await outboxOf(site)
    expect(rows.map(({ event, slug }) => `${event} ${slug}`).sort()).toEqual([
      'post.updated leaf',
      'post.updated middle',
    ])
    // As the transaction left the leaf.
    const leaf = await site.json<{ updatedAt: string }>('/posts/leaf')
    expect(JSON.parse(`${rows.find(({ slug }) => slug === 'leaf')!.payload}`)).toMatchObject({
      ...{ title: 'Leaf', sourcePostId: root.id, sequence: Date.parse(leaf.updatedAt) },
    })
    await site.manage('DELETE', '/posts/root')
    const more = (await outboxOf(site)).slice(2).map(({ event, slug }) => `${event} ${slug}`)
    expect(more.sort()).toEqual(['post.deleted root', 'post.updated leaf', 'post.updated middle'])
  })

  it('is sent once for SQL in a savepoint, too', async () => {
    const site = await listening()
    for (const slug of ['a', 'b']) await site.put(slug, { status: 'published' })
    await runSql(
      `do $$ begin
        begin update posts set title = 'B' where site_id = '${site.id}' and slug = 'b'; exception when division_by_zero then end;
        begin update posts set excerpt = 'B' where site_id = '${site.id}' and slug = 'b'; exception when division_by_zero then end;
        begin delete from posts where site_id = '${site.id}' and slug = 'a'; exception when division_by_zero then end;
      end $$`,
    )
    const events = (await outboxOf(site)).map(({ event, slug }) => `${event} ${slug}`)
    expect(events.sort()).toEqual([
      'post.deleted a',
      'post.published a',
      'post.published b',
      'post.updated b',
    ])
  })

  it.each<[string, Record<string, unknown>, Record<string, unknown>[]]>([
    [
      "set title = 'One'; set excerpt = 'Two', slug = 'b'; set title = 'Three', slug = 'c'",
      { status: 'published' },
      [{ event: 'post.updated', slug: 'c', title: 'Three', previousSlug: 'a' }],
    ],
    [
      "set slug = 'b'; set slug = 'a'",
      { status: 'published' },
      [{ event: 'post.updated', previousSlug: null }],
    ],
    ["set title = 'One'; set excerpt = 'Two'", { status: 'draft' }, []],
    [
      "set status = 'published'; set title = 'Last'",
      { status: 'draft' },
      [{ event: 'post.published', title: 'Last' }],
    ],
    ["set status = 'published'; set status = 'draft'", { status: 'draft' }, []],
    [
      "set status = 'draft'; set title = 'Not to be told', language = 'de'",
      { status: 'published' },
      [{ event: 'post.unpublished', title: 'A title', language: 'de', status: 'draft' }],
    ],
    [
      "set title = 'One'; set status = 'draft'",
      { status: 'published' },
      [{ event: 'post.unpublished', status: 'draft' }],
    ],
    [
      "set status = 'draft'; set status = 'published'",
      { status: 'published' },
      [{ event: 'post.updated', status: 'published', previousSlug: null }],
    ],
    ["set title = 'One'; delete", { status: 'published' }, [{ event: 'post.deleted' }]],
    ["set status = 'draft'; delete", { status: 'published' }, [{ event: 'post.deleted' }]],
    ["set status = 'published'; delete", { status: 'draft' }, []],
    [
      "set ready_at = now(); set title = 'Last'",
      { status: 'draft' },
      [{ event: 'article.ready', title: 'Last', status: 'draft' }],
    ],
    [
      "set ready_at = now(); set status = 'published'",
      { status: 'draft' },
      [{ event: 'post.published', status: 'published' }],
    ],
    ['set ready_at = now(); set ready_at = null', { status: 'draft' }, []],
    ["set status = 'published'; set publish_at = null", { status: 'draft' }, [{ event: 'post.published' }]],
  ])(
    'for a transaction with %s goes from the post before it to the post after it',
    async (written, status, expected) => {
      const site = await listening()
      await site.put('a', { trustScore: 91, language: 'en', ...status })
      const before = (await outboxOf(site)).length
      await inOneTransaction(site, written)
      const payloads = (await outboxOf(site)).slice(before).map(({ payload }) => JSON.parse(`${payload}`))
      expect(payloads).toMatchObject(expected)
      const { rows } = await testContext().db.execute(sql`
      select wire_sequence(updated_at) as sequence from posts where site_id = ${site.id} union all
      select wire_sequence(deleted_at) from tombstones where site_id = ${site.id} and resource = 'post' and not published_only
      order by 1 desc limit 1`)
      for (const { sequence } of payloads) expect(sequence).toBe(Number(rows[0]!.sequence))
    },
  )

  it.each([
    ["set status = 'draft'; delete", 'published', ['post.deleted'], ['post.deleted']],
    [
      "set status = 'draft'; set status = 'published', title = 'x'",
      'published',
      ['post.updated'],
      ['post.updated'],
    ],
    ["set status = 'draft'; set status = 'published'", 'published', ['post.published'], []],
    ["set status = 'published'; delete", 'draft', ['post.deleted'], []],
    ["set slug = 'b'; set slug = 'a'; delete", 'published', ['post.deleted'], ['post.deleted']],
    ["set status = 'published'; set title = 'x'", 'draft', ['post.updated'], []],
  ] as const)(
    'for a transaction with %s of a %s is sent to a webhook that has only %j as to any other: %j',
    async (written, status, wanted, expected) => {
      const site = await listening([...wanted])
      await site.put('a', { status })
      const before = (await outboxOf(site)).length
      await inOneTransaction(site, written)
      expect((await outboxOf(site)).slice(before).map(({ event }) => event)).toEqual(expected)
    },
  )

  it('is only post.published for SQL that marks a draft ready and publishes it', async () => {
    const site = await listening()
    await site.put('a', { trustScore: 90 })
    await runSql("update posts set ready_at = now(), status = 'published' where site_id = $1", [site.id])
    expect((await outboxOf(site)).map(({ event }) => event)).toEqual(['post.published'])
  })

  it('is sent for changes while it was switched on, and not for later ones', async () => {
    const site = await listening()
    const ctx = testContext({ queue: lossyQueue })
    await site.manage('PUT', '/posts?events=none', { posts: [{ ...post(), slug: 'a' }] })
    await setArticleStatuses(ctx, POST, await getSiteScope(ctx, site.id), ['a'], 'published')
    await switchOn(site, [])
    await site.manage('DELETE', '/posts/a/publication')
    const { rows } = await ctx.db.execute(sql`select id from webhook_events where site_id = ${site.id}`)
    await hand(rows.map(({ id }) => ({ kind: 'event', eventId: id })))
    expect(await heard(site, 1)).toMatchObject([{ event: 'post.published' }])
    expect(await outboxOf(site)).toMatchObject([{ event: 'post.published', state: 'delivered' }])
  })

  it('costs nothing for a site that has none switched on: one call to Postgres for a write, and no row', async () => {
    const [none, all] = [await listening([]), await listening()]
    // The queue's consumer would make calls of its own meanwhile.
    const ctx = testContext({ queue: lossyQueue })
    const write = async (site: TestSite, title: string) => {
      const scope = await getSiteScope(ctx, site.id)
      return writesOf(() =>
        putPosts(ctx, scope, [{ ...post({ status: 'published', title }), slug: 'a' }] as never),
      )
    }
    await write(none, 'First')
    await write(all, 'First')
    const [without, withEvents] = [await write(none, 'Second'), await write(all, 'Second')]
    expect(without).toHaveLength(1)
    expect(withEvents).toHaveLength(1)
    expect(without[0]).toHaveLength(withEvents[0]!.length)
    expect(await outboxOf(none)).toEqual([])
  })

  it('for five webhooks is one write, one call to the queue, and three calls to Postgres for each', async () => {
    const site = await listening(['post.published'])
    for (let further = 1; further <= 4; further++) await addWebhook(site, `ok/${further}`, ['post.published'])
    const batches: number[] = []
    const queue = {
      ...lossyQueue,
      sendBatch: async (messages: Iterable<unknown>) => {
        batches.push([...messages].length)
        return lossyQueue.sendBatch([])
      },
    }
    const ctx = testContext({ queue: queue as typeof lossyQueue })
    const scope = await getSiteScope(ctx, site.id)
    const writes = await writesOf(() =>
      putPosts(ctx, scope, [{ ...post({ status: 'published' }), slug: 'a' }] as never),
    )
    expect([writes.length, batches]).toEqual([1, [5]])
    const { rows } = await ctx.db.execute(sql`select id from webhook_events where site_id = ${site.id}`)

    const sending = await statementsByCall(() => hand(rows.map(({ id }) => ({ kind: 'event', eventId: id }))))
    // One more call reads the site's versions when Redis was too slow to take them from the write.
    const ofEvents = sending.filter((statements) =>
      statements.some((text) => text.includes('webhook_events')),
    )
    expect(ofEvents).toHaveLength(5 * 3)
    expect(await received(site)).toHaveLength(5)
  })
})
