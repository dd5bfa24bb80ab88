import { sql } from 'drizzle-orm'
import { Webhook } from 'standardwebhooks'
import { describe, expect } from 'vitest'
import { markPostsReady } from '../../../src/content/posts/readiness.ts'
import { getSiteScope } from '../../../src/sites/sites.ts'
import { lossyQueue, testContext } from '../../support/context.ts'
import { hand, heard } from '../../support/outbox.ts'
import { call, it, makeSite } from '../../support/site.ts'
import {
  addWebhook,
  deliveries,
  eventually,
  received,
  release,
  setWebhook,
  switchOn,
} from '../../support/webhook.ts'

describe('further webhooks', () => {
  it('get each event once, with an id, a secret and an event selection of their own', async ({ site }) => {
    const first = await setWebhook(site, 'ok/first')
    const one = await addWebhook(site, 'ok/one', ['post.published'])
    const two = await addWebhook(site, 'ok/two', ['post.deleted', 'post.published', 'post.published'])
    expect(two.events).toEqual(['post.published', 'post.deleted'])
    await site.put('a', { status: 'published' })
    await site.put('draft', { trustScore: 90 })
    const { eventId } = await site.manage('PUT', '/posts/draft/readiness')
    await heard(site, 5)
    const all = await received(site)
    const requests = all.map(({ path, body }) => `${path.split('/').at(-1)} ${JSON.parse(body).event}`)
    expect(requests.sort()).toEqual([
      'first article.ready',
      ...['one', 'two'].flatMap((name) => [`${name} article.ready`, `${name} post.published`]),
    ])
    expect(new Set(all.map(({ headers }) => headers['webhook-id'])).size).toBe(5)
    const secrets: Record<string, string> = { first, one: one.secret, two: two.secret }
    for (const { path, headers, body } of all)
      new Webhook(secrets[path.split('/').at(-1)!]!).verify(body, headers)
    // The secret of the first webhook.
    expect(all.find(({ headers }) => headers['webhook-id'] === eventId)?.path).toContain('first')
    const readiness = await site.json('/posts/draft?include=readiness')
    expect(readiness).toMatchObject({ readiness: { eventId } })
  })

  it('are four at most, also when ten are added at once', async ({ site }) => {
    await setWebhook(site, 'ok')
    const body = { url: 'https://hooks.acme.dev/' }
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => site.tryManage('POST', '/webhooks', body)),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(4).fill(201), ...Array(6).fill(409)])
    expect(answers.find(({ status }) => status === 409)!.body).toEqual({
      error: 'A site can have at most four webhooks in addition to the first, which setWebhook creates',
    })
    const { items } = await site.manage('GET', '/webhooks')
    expect(items).toHaveLength(5)
    expect(items[0]!.id).toBe(site.id)
    await site.manage('DELETE', `/webhooks/${items[1]!.id}`)
    expect((await site.tryManage('POST', '/webhooks', body)).status).toBe(201)
  })

  it('are changed, rotated and removed independently', async ({ site }) => {
    await setWebhook(site, 'ok')
    const { id, secret } = await addWebhook(site, 'ok/one', ['post.updated'])
    const changed = await site.manage('PATCH', `/webhooks/${id}`, { url: 'https://hooks.acme.dev/' })
    expect(changed).toMatchObject({ id, url: 'https://hooks.acme.dev/', events: ['post.updated'] })
    expect(await site.manage('PATCH', `/webhooks/${id.toUpperCase()}`, { events: [] })).toMatchObject({
      events: [],
    })
    const rotated = await site.manage('POST', `/webhooks/${id}/secret-rotations`)
    expect(rotated.secret).not.toBe(secret)
    expect(Date.parse(rotated.previousSecretExpiresAt!)).toBeGreaterThan(Date.now())
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
    const { items } = await site.manage('GET', '/audit-log')
    const actions = items.filter(({ resourceId }) => resourceId === id).map(({ action }) => action)
    const done = ['deleted', 'secret_rotated', 'updated', 'updated', 'created']
    expect(actions).toEqual(done.map((each) => `webhook.${each}`))
    const { rows } = await testContext().db.execute(
      sql`select url from webhook_endpoints where site_id = ${site.id}`,
    )
    expect(rows).toHaveLength(1)
  })

  it('have names: the host of the URL without one, trimmed, and changed or removed like other fields', async ({
    site,
  }) => {
    const url = 'https://hooks.acme.dev:8443/in'
    const first = await site.manage('PUT', '/webhook', { url })
    expect(first.name).toBe('hooks.acme.dev:8443')
    expect(await site.manage('PUT', '/webhook', { url, name: ' CMS ' })).toMatchObject({ name: 'CMS' })
    expect(await site.manage('PUT', '/webhook', { url })).toMatchObject({ name: 'CMS' })
    const { id, updatedAt } = await site.manage('POST', '/webhooks', { url, name: 'CMS' })
    const change = (body: object) => site.tryManage('PATCH', `/webhooks/${id}`, body)
    expect((await change({ name: 'CMS' })).body).toMatchObject({ updatedAt })
    expect((await change({ name: null })).body).toMatchObject({ name: 'hooks.acme.dev:8443' })
    for (const name of ['', ' ', 'a\nb', 'x'.repeat(61), 7])
      expect(await change({ name })).toMatchObject({ status: 400, body: { issues: [{ path: 'name' }] } })
    expect((await change({ name: 'x'.repeat(60) })).status).toBe(200)
    const { items } = await site.manage('GET', '/audit-log')
    expect(items[0]).toMatchObject({ action: 'webhook.updated', after: { name: 'x'.repeat(60) } })
  })

  it('are tested one by one, and the answer names the webhook', async ({ site }) => {
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

  it('are not delayed by one that hangs', async ({ site }) => {
    await setWebhook(site, 'held')
    await addWebhook(site, 'ok/quick', ['post.published'])
    await switchOn(site, ['post.published'])
    await site.put('a', { status: 'published' })
    await eventually(async () =>
      (await deliveries(site)).find(({ url, status }) => url.endsWith('quick') && status),
    )
    const held = await eventually(async () =>
      (await deliveries(site)).find(({ url }) => url.endsWith('held')),
    )
    expect(held).toMatchObject({ status: null, error: null })
    await release(site)
  })

  it('get a resent event, and only their own', async ({ site }) => {
    await setWebhook(site, 'ok/first')
    const one = await addWebhook(site, 'status/500', ['post.published'])
    await switchOn(site, ['post.published'])
    await site.put('a', { status: 'published' })
    const failed = await eventually(async () =>
      (await deliveries(site)).find(({ error }) => error === 'http_status'),
    )
    const { url } = await site.manage('GET', '/webhook')
    await site.manage('PATCH', `/webhooks/${one.id}`, { url: url.replace('first', 'mended') })
    const resent = await site.manage('POST', `/events/${failed.eventId}/resends`)
    expect(resent).toMatchObject({ status: 200, url: url.replace('first', 'mended'), manual: true })
    const again = (await received(site)).filter(({ path }) => path.endsWith('mended'))
    new Webhook(one.secret).verify(again[0]!.body, again[0]!.headers)

    await site.manage('PATCH', `/webhooks/${one.id}`, { url: url.replace('ok/first', 'status/503') })
    await site.put('b', { status: 'published' })
    await eventually(async () => (await deliveries(site)).find(({ status }) => status === 503))
    await site.manage('PATCH', `/webhooks/${one.id}`, { url: url.replace('first', 'all') })
    const { id } = await site.manage('POST', '/resends', {})
    const resend = await eventually(async () => {
      const { ending, ...counts } = await site.manage('GET', `/resends/${id}`)
      return ending && counts
    })
    expect(resend).toMatchObject({ total: 1, arrived: 1 })
    await site.manage('DELETE', `/webhooks/${one.id}`)
    expect((await site.tryManage('POST', `/events/${failed.eventId}/resends`)).status).toBe(404)
  })

  it('do not get pending events after they are removed', async ({ site }) => {
    await setWebhook(site, 'ok')
    const { id } = await addWebhook(site, 'ok/one')
    await site.put('draft', { trustScore: 90 })
    const ctx = testContext({ queue: lossyQueue })
    await markPostsReady(ctx, await getSiteScope(ctx, site.id), ['draft'])
    await site.manage('DELETE', `/webhooks/${id}`)
    const { rows } = await ctx.db.execute(sql`select id from webhook_events where site_id = ${site.id}`)
    const messages = rows.map(({ id }) => ({ kind: 'event', eventId: id }))
    await hand([...messages, ...messages])
    expect(await deliveries(site)).toHaveLength(2)
    expect((await deliveries(site)).map(({ error, status }) => error ?? status).sort()).toEqual([
      200,
      'endpoint_removed',
    ])
    expect(await received(site)).toHaveLength(1)
  })
})
