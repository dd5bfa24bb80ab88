import { createHmac } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { payloadSchema } from '../../../src/webhooks/event-kinds.ts'
import { makeSite } from '../../support/site.ts'
import { runSql } from '../../support/sql.ts'
import { deliveries, eventually, finished, received, setWebhook } from '../../support/webhook.ts'

async function readyDraft(script: string, fields: object = {}) {
  const site = await makeSite()
  const secret = await setWebhook(site, script)
  const { id } = await site.put('draft', { title: 'Ünïcode "draft" 🦊', trustScore: 91.5, ...fields })
  const { eventId } = await site.manage('PUT', '/posts/draft/readiness')
  return { site, secret, id, eventId }
}

const arrival = (site: Parameters<typeof received>[0]) => eventually(async () => (await received(site))[0])

describe('article.ready', () => {
  it('is one POST of the documented payload', async () => {
    const { site, id } = await readyDraft('ok', { language: 'en-GB', assuranceLabel: 'Checked' })
    const { body, headers } = await arrival(site)
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

  it('has the path of the post, which is at least as new as the event', async () => {
    const { site } = await readyDraft('ok')
    const payload = JSON.parse((await arrival(site)).body)
    const post = await site.json(payload.fetch.path.slice(`/api/v1${site.path}`.length))
    expect(post).toMatchObject({ slug: 'draft', contentHtml: '<p>Some words to read.</p>' })
    expect(String(post.updatedAt) >= payload.at).toBe(true)
  })

  it('has the slug percent-encoded in the path', async () => {
    const site = await makeSite()
    await setWebhook(site, 'ok')
    await site.put(encodeURIComponent('früh~1.0_ß'), { qualityBand: 'review' })
    await site.manage('PUT', `/posts/${encodeURIComponent('früh~1.0_ß')}/readiness`)
    const payload = JSON.parse((await arrival(site)).body)
    expect(payload.fetch.path).toBe(`/api/v1${site.path}/posts/${encodeURIComponent('früh~1.0_ß')}`)
  })

  it('is in the log with status and duration once it is delivered', async () => {
    const { site, id, eventId } = await readyDraft('ok')
    expect(await finished(site)).toMatchObject({
      eventId,
      event: 'article.ready',
      postId: id,
      slug: 'draft',
      status: 200,
      error: null,
      durationMs: expect.any(Number),
    })
    const { items } = await site.manage('GET', '/events')
    expect(items).toMatchObject([{ id: eventId, state: 'delivered', finishedAt: expect.any(String) }])
  })

  it('is not sent again when a ready draft is marked ready again', async () => {
    const { site } = await readyDraft('ok')
    await finished(site)
    const before = await site.json('/posts/draft')
    const again = await site.manage('PUT', '/posts/draft/readiness')
    expect(again).toMatchObject({ eventId: null, updatedAt: before.updatedAt })
    expect((await site.manage('GET', '/events')).items).toHaveLength(1)
    expect(await received(site)).toHaveLength(1)
  })

  it('is sent again after the content was edited and marked ready', async () => {
    const { site } = await readyDraft('ok')
    await finished(site)
    await site.put('draft', { title: 'Edited', trustScore: 91.5 })
    await site.manage('PUT', '/posts/draft/readiness')
    await eventually(async () => ((await received(site)).length === 2 ? true : null))
  })

  it('is refused without a quality check, and for a published post', async () => {
    const site = await makeSite()
    await site.put('unchecked')
    await site.put('out', { status: 'published', trustScore: 80 })
    expect(await site.tryManage('PUT', '/posts/unchecked/readiness')).toEqual({
      status: 409,
      body: { error: 'Draft has not been quality-checked' },
    })
    expect(await site.tryManage('PUT', '/posts/out/readiness')).toMatchObject({ status: 409 })
    expect(await site.tryManage('PUT', '/posts/none/readiness')).toMatchObject({ status: 404 })
  })

  it('is not created where no webhook is set', async () => {
    const site = await makeSite()
    await site.put('draft', { trustScore: 50 })
    expect(await site.manage('PUT', '/posts/draft/readiness')).toMatchObject({ eventId: null })
    expect((await site.manage('GET', '/events')).items).toEqual([])
  })
})

describe('signature', () => {
  it('is HMAC-SHA256 over timestamp, dot and raw body, under both names', async () => {
    const { site, secret } = await readyDraft('ok')
    const { headers, body } = await arrival(site)
    const timestamp = headers['x-service-timestamp']!
    expect(headers['x-service-signature']).toBe(
      createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex'),
    )
    expect(headers['x-legacy-signature']).toBe(headers['x-service-signature'])
    expect(headers['x-legacy-timestamp']).toBe(timestamp)
    expect(Math.abs(Number(timestamp) - Date.now() / 1_000)).toBeLessThan(30)
  })

  it('satisfies the Standard Webhooks library, with the event as its id', async () => {
    const { site, secret, eventId } = await readyDraft('ok')
    const { headers, body } = await arrival(site)
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
  const outcomes: [string, { status: number | null; error: string }][] = [
    ['status/503', { status: 503, error: 'http_status' }],
    ['status/410', { status: 410, error: 'http_status' }],
    ...[301, 302, 303, 307, 308].map((status): [string, { status: number; error: string }] => [
      `redirect/${status}`,
      { status, error: 'redirect' },
    ]),
    ['reset', { status: null, error: 'connection_lost' }],
  ]
  it.each(outcomes)('%s is logged, and not retried', async (script, outcome) => {
    const { site } = await readyDraft(script)
    expect(await finished(site)).toMatchObject(outcome)
    expect((await site.manage('GET', '/events')).items).toMatchObject([{ state: 'failed' }])
    expect(await received(site)).toHaveLength(1)
    expect(await deliveries(site)).toHaveLength(1)
  })

  it.each([
    ['a closed port', 'http://127.0.0.1:1/', 'connection_lost'],
    ['an unresolvable name', 'https://no-such-host.headless-content-api.com/', 'unreachable'],
    ['a port that does not speak TLS', '', 'unreachable'],
  ])('%s has no more precise error than is known', async (_, url, error) => {
    const site = await makeSite()
    const plain = new URL(await receiverUrl(site))
    await site.manage('PUT', '/webhook', { url: url || `https://127.0.0.1:${plain.port}/` })
    await site.put('draft', { trustScore: 91 })
    await site.manage('PUT', '/posts/draft/readiness')
    expect(await finished(site)).toMatchObject({ status: null, error })
  })

  it('no response within 8 s is a timeout, and delays no other event', async () => {
    const slow = await readyDraft('hang')
    const quick = await readyDraft('ok')
    const delivered = await finished(quick.site)
    expect(delivered).toMatchObject({ status: 200 })
    expect(await deliveries(slow.site)).toMatchObject([{ status: null, error: null }])
    const timedOut = await finished(slow.site)
    expect(timedOut).toMatchObject({ status: null, error: 'timeout' })
    expect(timedOut.durationMs).toBeGreaterThanOrEqual(7_900)
    expect(timedOut.durationMs).toBeLessThan(20_000)
  })

  it('a response that never ends is cut off and still counts', async () => {
    const { site } = await readyDraft('endless')
    expect(await finished(site)).toMatchObject({ status: 200, error: null })
  })
})

async function receiverUrl(site: Parameters<typeof setWebhook>[0]): Promise<string> {
  await setWebhook(site, 'ok')
  return (await site.manage('GET', '/webhook')).url
}
