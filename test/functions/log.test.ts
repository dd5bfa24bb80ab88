import { beforeEach, describe, expect, vi } from 'vitest'
import { call, it, manage, ORIGIN, operatorToken } from '../support/site.ts'
import { setWebhook } from '../support/webhook.ts'
import { BROKEN_DATABASE, callIn } from '../support/world.ts'

let lines: string[] = []

beforeEach(() => {
  lines = []
  for (const level of ['log', 'warn', 'error', 'info', 'debug'] as const) {
    vi.spyOn(console, level).mockImplementation((...parts) => void lines.push(parts.map(String).join(' ')))
  }
})

const parsed = () => lines.map((line) => JSON.parse(line) as Record<string, unknown>)

describe('the log', () => {
  it('has one line per request, with its request id and caller', async ({ site }) => {
    lines = []
    const response = await site.get('/posts?search=private')
    expect(parsed()).toEqual([
      {
        time: expect.any(String),
        event: 'request',
        requestId: response.headers.get('X-Request-Id'),
        method: 'GET',
        path: `/api/v1/sites/${site.id}/posts`,
        route: '/api/v1/sites/:siteId/posts',
        status: 200,
        durationMs: expect.any(Number),
        siteId: site.id,
        keyId: site.keyId,
      },
    ])
  })

  it('contains no key, token or secret, wherever it was sent', async ({ site }) => {
    const secret = await setWebhook(site, 'ok')
    await site.get('/posts')
    await call(`/api/v1/sites/${site.id}/sitemap.xml?token=${site.key}`)
    await call(`/api/v1/sites/${site.key}/posts/${site.key}?token=${site.key}`, { key: site.key })
    await call(`/api/v1/${site.key}`, { headers: { 'X-Request-Id': site.key } })
    await call('/api/v1/unknown', { headers: { 'X-Request-Id': operatorToken } })
    await call(`/api/v1/sites/${encodeURIComponent(secret)}/posts`, { key: secret })
    await call('/api/v1/webhooks/test', { method: 'POST', key: site.key })
    await site.tryManage('PUT', '/webhook', { url: `https://user:${secret}@example.org/` })
    await call(`/manage/v1/sites/${operatorToken}`, { key: operatorToken })
    const pasted = crypto.randomUUID()
    for (const method of ['GET', 'POST']) await call(`/console/${pasted}`, { method })
    const { id } = await manage('POST', '/operators', { name: `ada-${crypto.randomUUID()}`, role: 'viewer' })
    const { url } = await manage('POST', `/operators/${id}/sign-in-links`, {})
    const link = url!.split('/').at(-1)!
    const headers = { Origin: ORIGIN }
    for (const method of ['GET', 'POST', 'POST', 'PUT'])
      for (const more of ['', '/x', '?y']) await call(new URL(url!).pathname + more, { method, headers })
    const text = lines.join('\n')
    expect(lines.length).toBeGreaterThan(8)
    const secrets = [
      site.key,
      secret,
      secret.slice(6),
      encodeURIComponent(secret),
      operatorToken,
      pasted,
      link,
    ]
    for (const each of secrets) expect(text).not.toContain(each)
  })

  it('has the cause of an internal error, and the answer does not', async ({ site }) => {
    lines = []
    const response = await callIn(BROKEN_DATABASE, `/api/v1${site.path}/posts`, { key: site.key })
    expect(response.status).toBe(500)
    expect(await response.json()).toEqual({ error: 'Internal error' })
    expect(response.headers.get('Cache-Control')).toBe('no-store')
    const failure = parsed().find((line) => line.event === 'request.failed')
    expect(failure).toMatchObject({ requestId: response.headers.get('X-Request-Id') })
    expect(JSON.stringify(failure)).toContain('password authentication failed')
    expect(JSON.stringify(failure)).not.toContain('select')
  })
})
