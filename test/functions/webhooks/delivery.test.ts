import { createHmac } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { beforeAll, describe, expect, inject } from 'vitest'
import * as z from 'zod/mini'
import { payloadSchema } from '../../../src/webhooks/event-kinds.ts'
import { hand, lostEvent } from '../../support/outbox.ts'
import { it, makeSite, post } from '../../support/site.ts'
import { runSql } from '../../support/sql.ts'
import { deliveries, eventually, finished, received, setWebhook } from '../../support/webhook.ts'

const SLUG = 'früh~1.0_ß'

async function readyDraft(
  script: string,
  { slug = 'draft', ...fields }: { slug?: string; [name: string]: unknown } = {},
) {
  const site = await makeSite()
  const secret = await setWebhook(site, script)
  const path = `/posts/${encodeURIComponent(slug)}` as const
  const { id } = await site.manage(
    'PUT',
    path,
    post({ title: 'Ünïcode "draft" 🦊', trustScore: 91.5, ...fields }),
  )
  const { eventId } = await site.manage('PUT', `${path}/readiness`)
  return { site, secret, id, eventId }
}

const arrival = (site: Parameters<typeof received>[0]) => eventually(async () => (await received(site))[0])

/** It takes 8 s, in which the other tests run. */
let slow: Awaited<ReturnType<typeof readyDraft>>
/** The arrival of an event that was sent after it. */
let quickAt: number

beforeAll(async () => {
  slow = await readyDraft('hang')
})

describe('article.ready', () => {
  it('is one POST of the documented payload', async () => {
    const { site, id } = await readyDraft('ok', { language: 'en-GB', assuranceLabel: 'Checked' })
    const { body, headers, at } = await arrival(site)
    quickAt = at
    expect(headers['content-type']).toBe('application/json')
    expect(headers['user-agent']).toBe('headless-content-api/1.0 (+webhooks)')
    const payload = z.strictObject(payloadSchema('article.ready').shape).parse(JSON.parse(body))
    expect(payload).toEqual({
      event: 'article.ready',
      siteId: site.id,
      postId: id,
      slug: 'draft',
      title: 'Ünïcode "draft" 🦊',
      trustScore: 91.5,
      qualityBand: 'premium',
      assuranceLabel: 'Checked',
      language: 'en-GB',
      sourcePostId: null,
      status: 'draft',
      at: payload.at,
      sequence: Date.parse(payload.at),
      fetch: {
        path: `/api/v1/sites/${site.id}/posts/draft`,
        hint: 'GET fetch.path with your API key as a Bearer token to import contentHtml, seo and faqJsonLd.',
      },
    })
  })

  it('leads to the post, which is at least as new, and is in the log once it is delivered', async () => {
    const { site, id, eventId } = await readyDraft('ok', { slug: SLUG })
    const payload = JSON.parse((await arrival(site)).body)
    expect(payload.fetch.path).toBe(`/api/v1${site.path}/posts/${encodeURIComponent(SLUG)}`)
    const post = await site.json(payload.fetch.path.slice(`/api/v1${site.path}`.length))
    expect(post).toMatchObject({ slug: SLUG, contentHtml: '<p>Some words to read.</p>' })
    expect([String(post.updatedAt) >= payload.at, payload.sequence]).toEqual([true, Date.parse(payload.at)])
    expect(await finished(site)).toMatchObject({
      ...{ eventId, event: 'article.ready', postId: id, slug: SLUG },
      ...{ status: 200, error: null, durationMs: expect.any(Number) },
    })
    const { items } = await site.manage('GET', '/events')
    expect(items).toMatchObject([{ id: eventId, state: 'delivered', finishedAt: expect.any(String) }])
  })

  it('is sent again for a ready draft only after its content was edited', async () => {
    const { site } = await readyDraft('ok')
    await finished(site)
    const before = await site.json('/posts/draft')
    const again = await site.manage('PUT', '/posts/draft/readiness')
    expect(again).toMatchObject({ eventId: null, updatedAt: before.updatedAt })
    expect((await site.manage('GET', '/events')).items).toHaveLength(1)
    await site.put('draft', { title: 'Edited', trustScore: 91.5 })
    await site.manage('PUT', '/posts/draft/readiness')
    await eventually(async () => ((await received(site)).length === 2 ? true : null))
  })

  it('is refused without a quality check, and for a published post', async ({ site }) => {
    await site.put('unchecked')
    await site.put('out', { status: 'published', trustScore: 80 })
    expect(await site.tryManage('PUT', '/posts/unchecked/readiness')).toEqual({
      status: 409,
      body: { error: 'Draft has not been quality-checked' },
    })
    expect(await site.tryManage('PUT', '/posts/out/readiness')).toMatchObject({ status: 409 })
    expect(await site.tryManage('PUT', '/posts/none/readiness')).toMatchObject({ status: 404 })
  })

  it('is not created where no webhook is set', async ({ site }) => {
    await site.put('draft', { trustScore: 50 })
    expect(await site.manage('PUT', '/posts/draft/readiness')).toMatchObject({ eventId: null })
    expect((await site.manage('GET', '/events')).items).toEqual([])
  })
})

describe('signature', () => {
  it('is HMAC-SHA256 over timestamp, dot and raw body, under both names, and satisfies the Standard Webhooks library', async () => {
    const { site, secret, eventId } = await readyDraft('ok')
    const { headers, body } = await arrival(site)
    const timestamp = headers['x-service-timestamp']!
    expect(headers['x-service-signature']).toBe(
      createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex'),
    )
    expect(headers['x-legacy-signature']).toBe(headers['x-service-signature'])
    expect(headers['x-legacy-timestamp']).toBe(timestamp)
    expect(Math.abs(Number(timestamp) - Date.now() / 1_000)).toBeLessThan(30)
    expect(headers['webhook-id']).toBe(eventId)
    expect(new Webhook(secret).verify(body, headers)).toMatchObject({ slug: 'draft' })
  })

  it('is made with both secrets after a rotation, but only with the new one in X-Service-Signature', async () => {
    const site = await makeSite()
    const old = await setWebhook(site, 'ok')
    const { secret, previousSecretExpiresAt } = await site.manage('POST', '/webhook/secret-rotations')
    expect(Date.parse(previousSecretExpiresAt!) - Date.now()).toBeGreaterThan(23.9 * 3_600_000)
    await site.put('draft', { trustScore: 91 })
    await site.manage('PUT', '/posts/draft/readiness')
    const { headers, body } = await arrival(site)
    for (const each of [old, secret!]) expect(new Webhook(each).verify(body, headers)).toBeTruthy()
    expect(headers['webhook-signature']!.split(' ')).toHaveLength(2)
    expect(headers['x-service-signature']).toBe(
      createHmac('sha256', secret!).update(`${headers['x-service-timestamp']}.${body}`).digest('hex'),
    )
  })

  it('is made with the new secret only, 24 hours after a rotation', async () => {
    const site = await makeSite()
    const old = await setWebhook(site, 'ok')
    const { secret } = await site.manage('POST', '/webhook/secret-rotations')
    await runSql(
      "update webhook_endpoints set previous_secret_expires_at = previous_secret_expires_at - interval '24 hours' where site_id = $1",
      [site.id],
    )
    await site.put('draft', { trustScore: 91 })
    await site.manage('PUT', '/posts/draft/readiness')
    const { headers, body } = await arrival(site)
    expect(headers['webhook-signature']!.split(' ')).toHaveLength(1)
    expect(new Webhook(secret!).verify(body, headers)).toBeTruthy()
    expect(() => new Webhook(old).verify(body, headers)).toThrow()
  })
})

describe('failed delivery', () => {
  it.each<[string, number | null, string]>([
    ['status/503', 503, 'http_status'],
    ['status/410', 410, 'http_status'],
    ['redirect/302', 302, 'redirect'],
    ['redirect/308', 308, 'redirect'],
    ['reset', null, 'connection_lost'],
  ])('%s is logged, and not retried', async (script, status, error) => {
    const { site } = await readyDraft(script)
    expect(await finished(site)).toMatchObject({ status, error })
    expect((await site.manage('GET', '/events')).items).toMatchObject([{ state: 'failed' }])
    expect(await received(site)).toHaveLength(1)
    expect(await deliveries(site)).toHaveLength(1)
  })

  it.each([
    ['a closed port', 'http://127.0.0.1:1/', 'connection_lost'],
    ['an unresolvable name', 'https://no-such-host.headless-content-api.com/', 'unreachable'],
    ['a port that does not speak TLS', inject('receiver').replace('http:', 'https:'), 'unreachable'],
  ])('%s has no more precise error than is known', async (_, url, error) => {
    const { site, eventId } = await lostEvent()
    await site.manage('PUT', '/webhook', { url })
    await hand([{ kind: 'event', eventId }])
    expect(await finished(site)).toMatchObject({ status: null, error })
  })

  it('no response within 8 s is a timeout, and delays no other event', async () => {
    const timedOut = await finished(slow.site)
    expect(timedOut).toMatchObject({ status: null, error: 'timeout' })
    expect(timedOut.durationMs).toBeGreaterThanOrEqual(7_900)
    expect(timedOut.durationMs).toBeLessThan(20_000)
    expect(quickAt).toBeLessThan(Date.parse(timedOut.attemptedAt) + timedOut.durationMs!)
  })

  it('a response that never ends is cut off and still counts', async () => {
    const { site } = await readyDraft('endless')
    expect(await finished(site)).toMatchObject({ status: 200, error: null })
  })
})
