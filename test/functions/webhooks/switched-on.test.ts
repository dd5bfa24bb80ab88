import { sql } from 'drizzle-orm'
import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { markPostsReady } from '../../../src/content/posts/readiness.ts'
import { optionalEvents } from '../../../src/foundation/enums.ts'
import { getSiteScope } from '../../../src/sites/sites.ts'
import { enqueueNextEvents } from '../../../src/webhooks/event.ts'
import { payloadSchema } from '../../../src/webhooks/event-kinds.ts'
import { callsOf } from '../../support/calls.ts'
import { lossyQueue, testContext } from '../../support/context.ts'
import { hand, rewind, runCron } from '../../support/outbox.ts'
import { call, makeSite, operatorToken, post, type TestSite } from '../../support/site.ts'
import {
  addWebhook,
  deliveries,
  eventually,
  received,
  release,
  setWebhook,
  switchOn,
} from '../../support/webhook.ts'

async function listening(events: readonly string[] = optionalEvents) {
  const site = await makeSite()
  await setWebhook(site, 'ok')
  await switchOn(site, [...events])
  return site
}

/** What the site's receiver has got, once it is so many. */
const heard = async (site: TestSite, count: number) => {
  await eventually(async () => ((await received(site)).length >= count ? true : null))
  return (await received(site)).map(({ body }) => JSON.parse(body))
}

const rowsOf = async (site: TestSite) =>
  (
    await testContext().db.execute(
      sql`select event, slug, endpoint_id, state from webhook_events where site_id = ${site.id} order by created_at, endpoint_id nulls first`,
    )
  ).rows

describe('an event that is switched on', () => {
  it('tells that a post was published, changed, renamed, unpublished and deleted, each as it is described', async () => {
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

  it('is not sent for what changes nothing, of drafts, or of guides', async () => {
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
    expect(await rowsOf(site)).toMatchObject([{ event: 'post.published' }])
  })

  it('is one for each commit, though translations follow their source', async () => {
    const site = await listening()
    const [root, middle] = [
      await site.put('root', { status: 'published' }),
      await site.put('middle', { status: 'published' }),
    ]
    await site.put('leaf', { status: 'published', sourcePostId: middle.id })
    await testContext().db.execute(sql`delete from webhook_events where site_id = ${site.id}`)
    // The leaf is written by the put, and again since what it translates becomes a translation itself.
    await site.manage('PUT', '/posts', {
      posts: [
        { ...post({ title: 'Leaf' }), slug: 'leaf', sourcePostId: middle.id },
        { ...post(), slug: 'middle', sourcePostId: root.id },
      ],
    })
    expect(await site.json('/posts/leaf')).toMatchObject({ sourcePostId: root.id })
    const rows = await rowsOf(site)
    expect(rows.map(({ event, slug }) => `${event} ${slug}`).sort()).toEqual([
      'post.updated leaf',
      'post.updated middle',
    ])
    await site.manage('DELETE', '/posts/root')
    const more = (await rowsOf(site)).slice(2).map(({ event, slug }) => `${event} ${slug}`)
    expect(more.sort()).toEqual(['post.deleted root', 'post.updated leaf', 'post.updated middle'])
  })

  it('is sent that happened while it was on, and not what happens later', async () => {
    const site = await listening()
    const ctx = testContext({ queue: lossyQueue })
    const { setArticleStatuses } = await import('../../../src/content/articles/states.ts')
    const { POST } = await import('../../../src/content/posts/post.ts')
    await site.manage('PUT', '/posts?events=none', { posts: [{ ...post(), slug: 'a' }] })
    await setArticleStatuses(ctx, POST, await getSiteScope(ctx, site.id), ['a'], 'published')
    await switchOn(site, [])
    await site.manage('DELETE', '/posts/a/publication')
    const { rows } = await ctx.db.execute(sql`select id from webhook_events where site_id = ${site.id}`)
    await hand(rows.map(({ id }) => ({ eventId: id })))
    expect(await heard(site, 1)).toMatchObject([{ event: 'post.published' }])
    expect(await rowsOf(site)).toMatchObject([{ event: 'post.published', state: 'delivered' }])
  })

  it('costs a site that has none on nothing: one call to Postgres for a write, and no row', async () => {
    const [none, all] = [await listening([]), await listening()]
    const write = (site: TestSite, title: string) =>
      callsOf(() =>
        call(`/manage/v1${site.path}/posts/a`, {
          method: 'PUT',
          key: operatorToken,
          body: post({ status: 'published', title }),
        }),
      )
    await write(none, 'First')
    await write(all, 'First')
    const [without, withEvents] = [await write(none, 'Second'), await write(all, 'Second')]
    expect(without.postgres).toBe(withEvents.postgres)
    expect(without.redis).toBe(withEvents.redis)
    expect(await rowsOf(none)).toEqual([])
  })
})

describe('further webhooks', () => {
  it('get each event once, with an id, a secret and a choice of their own', async () => {
    const site = await makeSite()
    const first = await setWebhook(site, 'ok/first')
    const one = await addWebhook(site, 'ok/one', ['post.published'])
    const two = await addWebhook(site, 'ok/two', ['post.deleted', 'post.published', 'post.published'])
    expect(two.events).toEqual(['post.published', 'post.deleted'])
    await site.put('a', { status: 'published' })
    await site.put('draft', { trustScore: 90 })
    const { eventId } = await site.manage<{ eventId: string }>('PUT', '/posts/draft/readiness')
    await heard(site, 5)
    const all = await received(site)
    const told = all.map(({ path, body }) => `${path.split('/').at(-1)} ${JSON.parse(body).event}`)
    expect(told.sort()).toEqual([
      'first article.ready',
      'one article.ready',
      'one post.published',
      'two article.ready',
      'two post.published',
    ])
    expect(new Set(all.map(({ headers }) => headers['webhook-id'])).size).toBe(5)
    const secrets: Record<string, string> = { first, one: one.secret, two: two.secret }
    for (const { path, headers, body } of all)
      new Webhook(secrets[path.split('/').at(-1)!]!).verify(body, headers)
    // That of the first webhook.
    expect(all.find(({ headers }) => headers['webhook-id'] === eventId)?.path).toContain('first')
    const readiness = await site.json('/posts/draft?include=readiness')
    expect(readiness).toMatchObject({ readiness: { eventId } })
  })

  it('are four at most, also when ten come at once', async () => {
    const site = await makeSite()
    await setWebhook(site, 'ok')
    const body = { url: 'https://hooks.acme.dev/' }
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => site.tryManage('POST', '/webhooks', body)),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(4).fill(201), ...Array(6).fill(409)])
    expect(answers.find(({ status }) => status === 409)!.body).toEqual({
      error: 'A site has at most five webhooks: the first, and four further ones',
    })
    const { items } = await site.manage<{ items: { id: string }[] }>('GET', '/webhooks')
    expect(items).toHaveLength(5)
    expect(items[0]!.id).toBe(site.id)
    await site.manage('DELETE', `/webhooks/${items[1]!.id}`)
    expect((await site.tryManage('POST', '/webhooks', body)).status).toBe(201)
  })

  it('are changed, rotated and removed without the others', async () => {
    const site = await makeSite()
    await setWebhook(site, 'ok')
    const { id, secret } = await addWebhook(site, 'ok/one', ['post.updated'])
    const changed = await site.manage('PATCH', `/webhooks/${id}`, { url: 'https://hooks.acme.dev/' })
    expect(changed).toMatchObject({ id, url: 'https://hooks.acme.dev/', events: ['post.updated'] })
    expect(await site.manage('PATCH', `/webhooks/${id.toUpperCase()}`, { events: [] })).toMatchObject({
      events: [],
    })
    const rotated = await site.manage<{ secret: string; previousSecretExpiresAt: string }>(
      'POST',
      `/webhooks/${id}/secret-rotations`,
    )
    expect(rotated.secret).not.toBe(secret)
    expect(Date.parse(rotated.previousSecretExpiresAt)).toBeGreaterThan(Date.now())
    expect(await site.tryManage('PATCH', `/webhooks/${id}`, { events: ['article.ready'] })).toMatchObject({
      status: 400,
      body: { issues: [{ path: 'events[0]' }] },
    })
    await site.manage('DELETE', `/webhooks/${id}`)
    for (const method of ['PATCH', 'DELETE'])
      expect(await site.tryManage(method, `/webhooks/${id}`, {})).toEqual({
        status: 404,
        body: { error: 'Webhook not found' },
      })
    const other = await makeSite()
    expect((await other.tryManage('PATCH', `/webhooks/${site.id}`, { events: [] })).status).toBe(404)
    const { items } = await site.manage<{ items: { action: string; resourceId: string }[] }>(
      'GET',
      '/audit-log',
    )
    expect(items.filter(({ resourceId }) => resourceId === id).map(({ action }) => action)).toEqual([
      'webhook.deleted',
      'webhook.secret_rotated',
      'webhook.updated',
      'webhook.updated',
      'webhook.created',
    ])
    const { rows } = await testContext().db.execute(
      sql`select url from webhook_endpoints where site_id = ${site.id}`,
    )
    expect(rows).toHaveLength(1)
  })

  it('are tested one by one, and the answer says which', async () => {
    const site = await makeSite()
    await setWebhook(site, 'ok/first')
    const { id } = await addWebhook(site, 'status/500')
    const test = (query: string) => call(`/api/v1/webhooks/test${query}`, { method: 'POST', key: site.key })
    expect(await (await test('')).json()).toEqual({ ok: true, status: 200, delivered: true })
    expect(await (await test(`?endpointId=${id}`)).json()).toEqual({
      ok: false,
      status: 500,
      delivered: false,
      endpointId: id,
    })
    expect((await test(`?endpointId=${crypto.randomUUID()}`)).status).toBe(404)
    expect((await test('?endpointId=x')).status).toBe(400)
  })

  it('do not wait for one that hangs', async () => {
    const site = await makeSite()
    await setWebhook(site, 'held')
    await addWebhook(site, 'ok/quick', ['post.published'])
    await switchOn(site, ['post.published'])
    await site.put('a', { status: 'published' })
    await eventually(async () =>
      (await deliveries(site)).find(({ url, status }) => url.endsWith('quick') && status),
    )
    expect((await deliveries(site)).find(({ url }) => url.endsWith('held'))).toMatchObject({
      status: null,
      error: null,
    })
    await release(site)
  })

  it('get an event again that is resent, and only theirs', async () => {
    const site = await makeSite()
    await setWebhook(site, 'ok/first')
    const one = await addWebhook(site, 'status/500', ['post.published'])
    await switchOn(site, ['post.published'])
    await site.put('a', { status: 'published' })
    const failed = await eventually(async () =>
      (await deliveries(site)).find(({ error }) => error === 'http_status'),
    )
    const { url } = await site.manage<{ url: string }>('GET', '/webhook')
    await site.manage('PATCH', `/webhooks/${one.id}`, { url: url.replace('first', 'mended') })
    const resent = await site.manage('POST', `/events/${failed.eventId}/resends`)
    expect(resent).toMatchObject({ status: 200, url: url.replace('first', 'mended'), manual: true })
    const again = (await received(site)).filter(({ path }) => path.endsWith('mended'))
    new Webhook(one.secret).verify(again[0]!.body, again[0]!.headers)

    await site.manage('PATCH', `/webhooks/${one.id}`, { url: url.replace('ok/first', 'status/503') })
    await site.put('b', { status: 'published' })
    await eventually(async () => (await deliveries(site)).find(({ status }) => status === 503))
    await site.manage('PATCH', `/webhooks/${one.id}`, { url: url.replace('first', 'all') })
    const failedSince = new Date(Date.now() - 60_000).toISOString()
    expect(await site.manage('POST', '/events/resends', { failedSince })).toMatchObject({
      remaining: 0,
      resent: [{ slug: 'b', status: 200 }],
    })
    await site.manage('DELETE', `/webhooks/${one.id}`)
    expect((await site.tryManage('POST', `/events/${failed.eventId}/resends`)).status).toBe(404)
  })

  it('are not sent what waits when they are removed', async () => {
    const site = await makeSite()
    await setWebhook(site, 'ok')
    const { id } = await addWebhook(site, 'ok/one')
    await site.put('draft', { trustScore: 90 })
    const ctx = testContext({ queue: lossyQueue })
    await markPostsReady(ctx, await getSiteScope(ctx, site.id), ['draft'])
    await site.manage('DELETE', `/webhooks/${id}`)
    const { rows } = await ctx.db.execute(sql`select id from webhook_events where site_id = ${site.id}`)
    const messages = rows.map(({ id }) => ({ eventId: id }))
    await hand([...messages, ...messages])
    expect(await deliveries(site)).toHaveLength(2)
    expect((await deliveries(site)).map(({ error, status }) => error ?? status).sort()).toEqual([
      200,
      'endpoint_removed',
    ])
    expect(await received(site)).toHaveLength(1)
  })

  it('go with their site', async () => {
    const site = await makeSite()
    await setWebhook(site, 'ok')
    await addWebhook(site, 'ok/one')
    await site.manage('DELETE', '?confirm=Test')
    const { rows } = await testContext().db.execute(
      sql`select from webhook_further_endpoints where site_id = ${site.id}`,
    )
    expect(rows).toHaveLength(0)
  })
})

describe('bulk work', () => {
  it('with events=none sends nothing but article.ready, and counts the rest', async () => {
    const site = await listening()
    await addWebhook(site, 'ok/two', ['post.published', 'post.deleted'])
    const put = (status: string) => ({ posts: ['a', 'b'].map((slug) => ({ ...post({ status }), slug })) })
    expect(await site.manage('PUT', '/posts?events=none', put('published'))).toMatchObject({
      eventsNotSent: 4,
    })
    expect(await site.manage('PUT', '/posts?events=none', put('published'))).toMatchObject({
      eventsNotSent: 0,
    })
    expect(await site.manage('PUT', '/posts', put('published'))).not.toHaveProperty('eventsNotSent')
    expect(await site.manage('DELETE', '/posts/a/publication?events=none')).toMatchObject({
      eventsNotSent: 1,
    })
    expect(await site.manage('PUT', '/posts/a?events=none', post({ status: 'published' }))).toMatchObject({
      outcome: 'updated',
      eventsNotSent: 2,
    })
    expect(await site.manage('DELETE', '/posts/a?events=none')).toEqual({ eventsNotSent: 2 })
    expect((await site.tryManage('PUT', '/posts?events=some', put('draft'))).status).toBe(400)
    await site.put('c', { qualityBand: 'standard' })
    await site.manage('PUT', '/posts/c/readiness')
    expect((await rowsOf(site)).map(({ event }) => event)).toEqual(['article.ready', 'article.ready'])
  })

  it('does not hold up other sites: of many events the queue gets the next ones in turn', async () => {
    const site = await listening(['post.published'])
    const sent: object[] = []
    const queue = {
      ...lossyQueue,
      send: async (body: object) => {
        sent.push(body)
        return lossyQueue.send(body as never)
      },
      sendBatch: async (messages: Iterable<{ body: object }>) => {
        for (const { body } of messages) sent.push(body)
        return lossyQueue.sendBatch([])
      },
    }
    const ctx = testContext({ queue: queue as typeof lossyQueue })
    const { putPosts } = await import('../../../src/content/posts/put.ts')
    const posts = Array.from({ length: 50 }, (_, at) => ({
      ...post({ status: 'published' }),
      slug: `p-${at}`,
    }))
    await putPosts(ctx, await getSiteScope(ctx, site.id), posts as never)
    expect(sent).toEqual([{ events: site.id }])
    const rounds: number[] = []
    while (sent.some((body) => 'events' in body)) {
      sent.splice(
        sent.findIndex((body) => 'events' in body),
        1,
      )
      await enqueueNextEvents(ctx, site.id)
      rounds.push(sent.filter((body) => 'eventId' in body).length - rounds.reduce((a, b) => a + b, 0))
    }
    expect(rounds).toEqual([20, 20, 10])
    expect(new Set(sent.map((body) => JSON.stringify(body))).size).toBe(50)
  })

  it('is sent by the sweep if the queue has lost it', async () => {
    const site = await listening(['post.published'])
    const ctx = testContext({ queue: lossyQueue })
    const { putPosts } = await import('../../../src/content/posts/put.ts')
    const posts = Array.from({ length: 25 }, (_, at) => ({
      ...post({ status: 'published' }),
      slug: `p-${at}`,
    }))
    await putPosts(ctx, await getSiteScope(ctx, site.id), posts as never)
    await enqueueNextEvents(ctx, site.id)
    const { rows } = await ctx.db.execute(sql`select id from webhook_events where site_id = ${site.id}`)
    for (const { id } of rows as { id: string }[]) {
      await rewind(id, 'created_at', '1 minute')
      await ctx.db.execute(
        sql`update webhook_events set claimed_at = claimed_at - interval '1 minute' where id = ${id}`,
      )
    }
    await runCron()
    await heard(site, 25)
    expect(await received(site)).toHaveLength(25)
  })
})
