import { sql } from 'drizzle-orm'
import { describe, expect, vi } from 'vitest'
import { stopAtMinute } from '../../support/clock.ts'
import { testContext } from '../../support/context.ts'
import { call, errorOf, it, makeSite } from '../../support/site.ts'
import { received, setWebhook } from '../../support/webhook.ts'
import { callIn } from '../../support/world.ts'

describe('the webhook', () => {
  it('shows its secret only at creation and rotation, and keeps it when the URL is set again', async () => {
    const site = await makeSite()
    const created = await site.manage('PUT', '/webhook', { url: 'https://hooks.example.org.org/' })
    expect(created.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    const again = await site.manage('PUT', '/webhook', { url: 'https://example.org.org:8443/b' })
    expect(again).toMatchObject({ url: 'https://example.org.org:8443/b', secret: null })
    expect(await site.manage('GET', '/webhook')).not.toHaveProperty('secret')
    const rotated = await site.manage('POST', '/webhook/secret-rotations')
    expect(rotated.secret).toMatch(/^whsec_/)
    expect(rotated.secret).not.toBe(created.secret)
  })

  it('is stored normalized, without pasted white space', async ({ site }) => {
    const pasted = await site.manage('PUT', '/webhook', { url: ' https://hooks.acme.dev/a b\n' })
    expect(pasted).toMatchObject({ url: 'https://hooks.acme.dev/a%20b' })
  })

  it('is stored encrypted', async ({ site }) => {
    const { secret } = await site.manage('PUT', '/webhook', { url: 'https://hooks.acme.dev/' })
    const { rows } = await testContext().db.execute(
      sql`select row_to_json(e)::text as row from webhook_endpoints e where site_id = ${site.id}`,
    )
    expect(rows[0]!.row).not.toContain(secret!.slice('whsec_'.length))
    expect(rows[0]!.row).toMatch(/"secret":"test\./)
  })

  it('is 404 when none is set', async ({ site }) => {
    for (const [method, path] of [
      ['GET', '/webhook'],
      ['DELETE', '/webhook'],
      ['POST', '/webhook/secret-rotations'],
    ] as const) {
      expect(await site.tryManage(method, path)).toEqual({
        status: 404,
        body: { error: 'Webhook not found' },
      })
    }
  })
})

describe('POST /webhooks/test', () => {
  const test = (key: string) => call('/api/v1/webhooks/test', { method: 'POST', key })

  it('sends a signed webhook.test and returns the outcome', async ({ site }) => {
    await setWebhook(site, 'status/204')
    const response = await test(site.key)
    expect(response.headers.get('Cache-Control')).toBe('no-store')
    expect(await response.json()).toEqual({ ok: true, status: 204, delivered: true })
    const [{ body, headers } = { body: '', headers: {} as Record<string, string> }] = await received(site)
    expect(JSON.parse(body)).toEqual({
      event: 'webhook.test',
      siteId: site.id,
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      message: expect.any(String),
    })
    expect(headers['x-service-signature']).toMatch(/^[0-9a-f]{64}$/)
  })

  it('reports a receiver that refuses, and one that is unreachable', async ({ site }) => {
    await setWebhook(site, 'status/500')
    expect(await (await test(site.key)).json()).toEqual({ ok: false, status: 500, delivered: false })
    await site.manage('PUT', '/webhook', { url: 'http://127.0.0.1:1/' })
    expect(await (await test(site.key)).json()).toEqual({ ok: false, status: 0, delivered: false })
    const { items } = await site.manage('GET', '/deliveries')
    expect(items).toMatchObject([
      { event: 'webhook.test', postId: null, slug: null, status: null, error: 'connection_lost' },
      { event: 'webhook.test', status: 500, error: 'http_status' },
    ])
  })

  it('is 400 when no webhook is set, however often', async ({ site }) => {
    for (let i = 0; i < 12; i++)
      expect(await errorOf(await test(site.key), 400)).toBe('No webhook URL configured')
    await setWebhook(site, 'ok')
    const world = { UPSTASH_REDIS_REST_URL: 'http://127.0.0.1:1' }
    // Nothing counts while Redis is down.
    for (let i = 0; i < 12; i++) {
      const answer = await callIn(world, '/api/v1/webhooks/test', { method: 'POST', key: site.key })
      expect(answer.status).toBe(200)
    }
    expect((await test(site.key)).status).toBe(200)
  })

  it('is sent ten times a minute, then refused until the minute is over', async () => {
    stopAtMinute()
    const [site, other] = [await makeSite(), await makeSite()]
    await Promise.all([setWebhook(site, 'ok'), setWebhook(other, 'ok')])
    for (let i = 0; i < 10; i++) expect((await test(site.key)).status).toBe(200)
    for (const answer of [await test(site.key), await test(site.key)]) {
      expect(await errorOf(answer, 429)).toBe('Too many test events')
      expect(Number(answer.headers.get('Retry-After'))).toBe(60)
    }
    expect(await received(site)).toHaveLength(10)
    expect((await test(`${site.key}x`)).status).toBe(401)
    expect((await test(other.key)).status).toBe(200)
    vi.setSystemTime(Date.now() + 60_000)
    expect((await test(site.key)).status).toBe(200)
  })
})
