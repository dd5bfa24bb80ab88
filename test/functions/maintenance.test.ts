import { createExecutionContext, createMessageBatch, getQueueResult } from 'cloudflare:test'
import { describe, expect, vi } from 'vitest'
import { queue } from '../../functions/queue.ts'
import worker from '../../functions/worker.ts'
import { callsOf } from '../support/calls.ts'
import { bindings } from '../support/context.ts'
import { hand, lostEvent, rewind, runCron, stateOf } from '../support/outbox.ts'
import { it, ORIGIN, operatorToken } from '../support/site.ts'
import { deliveries } from '../support/webhook.ts'

const MAINTENANCE = { ...bindings, MAINTENANCE: 'true' }

function ask(path: string, { method = 'GET', key = '', env = MAINTENANCE as typeof bindings } = {}) {
  const headers = { Authorization: `Bearer ${key}` }
  return worker.fetch(new Request(ORIGIN + path, { method, headers }), env, createExecutionContext())
}

const asked = async (path: string, method: string, key: string) => {
  const answers: Response[] = []
  const calls = await callsOf(async () => {
    answers.push(await ask(path, { method, key }))
    return answers[0]!
  })
  expect(calls, path).toEqual({ status: 503, postgres: 0, redis: 0 })
  const headers = Object.fromEntries(answers[0]!.headers)
  expect(headers).toMatchObject({ 'retry-after': '60', 'cache-control': 'no-store' })
  return { type: headers['content-type'], text: await answers[0]!.text() }
}

describe('a request during maintenance', () => {
  it('gets 503 without a query to Postgres or Redis', async ({ site }) => {
    for (const [method, path] of [
      ['GET', `/api/v1${site.path}/posts`],
      ['GET', `/api/v1${site.path}/sitemap.xml`],
      ['POST', '/api/v1/webhooks/test'],
      ['PUT', `/manage/v1${site.path}/posts/a`],
      ['DELETE', `/manage/v1${site.path}`],
      ['POST', '/mcp'],
      ['GET', '/sitemaps/unknown/sitemap.xml'],
      ['GET', '/no-such-path'],
    ] as const) {
      const answer = await asked(path, method, path.startsWith('/manage') ? operatorToken : site.key)
      expect(answer).toEqual({ type: 'application/json', text: '{"error":"Service is under maintenance"}' })
    }
  })

  it('from a browser gets a readable sentence', async () => {
    for (const path of ['/', '/console/overview', '/console/sign-in', '/drafts/unknown', '/docs']) {
      const { type, text } = await asked(path, path.endsWith('sign-in') ? 'POST' : 'GET', '')
      expect(type).toContain('text/plain')
      expect(text).toBe('The service is under maintenance. Try again in a few minutes.')
    }
  })

  it('from a script at another origin can read the 503, since its preflight succeeds', async () => {
    const preflight = await ask('/api/v1/sites/a/posts', { method: 'OPTIONS' })
    expect(preflight.status).toBe(204)
    expect(preflight.headers.get('Access-Control-Allow-Headers')).toContain('Authorization')
    for (const answer of [preflight, await ask('/api/v1/sites/a/posts')]) {
      expect(answer.headers.get('Access-Control-Allow-Origin')).toBe('*')
      expect(answer.headers.get('Access-Control-Expose-Headers')).toContain('Retry-After')
    }
  })

  it('is answered again as soon as maintenance ends', async ({ site }) => {
    expect((await ask(`/api/v1${site.path}/posts`, { key: site.key })).status).toBe(503)
    for (const MAINTENANCE of ['false', '0', 'off', undefined]) {
      const env = { ...bindings, MAINTENANCE } as typeof bindings
      expect((await ask(`/api/v1${site.path}/posts`, { key: site.key, env })).status).toBe(200)
    }
  })
})

it('messages of the queue are retried later, and are then processed', async () => {
  const { site, eventId } = await lostEvent()
  const messages = [
    { kind: 'event', eventId },
    { kind: 'events', siteId: site.id },
    { kind: 'purge' },
    'nonsense',
  ]
  const batch = createMessageBatch(
    'webhook-events',
    messages.map((body, i) => ({ id: `${i}`, body, timestamp: new Date(), attempts: 1 })),
  )
  const retryAll = vi.spyOn(batch, 'retryAll')
  const execution = createExecutionContext()
  await queue(batch, MAINTENANCE, execution)
  expect(await getQueueResult(batch, execution)).toMatchObject({
    explicitAcks: [],
    retryBatch: { retry: true },
  })
  expect(retryAll).toHaveBeenCalledExactlyOnceWith({ delaySeconds: 900 })
  expect(await stateOf(site)).toBe('pending')
  await hand([{ kind: 'event', eventId }])
  expect(await deliveries(site)).toMatchObject([{ status: 200 }])
})

it('the cron only logs a line, and catches up afterwards', async () => {
  const { site, eventId } = await lostEvent()
  await rewind(eventId, 'created_at', '31 seconds')
  const lines: string[] = []
  vi.spyOn(console, 'log').mockImplementation((line) => void lines.push(line))
  const calls = await callsOf(async () => {
    await runCron(MAINTENANCE)
    return new Response()
  })
  expect(calls).toMatchObject({ postgres: 0, redis: 0 })
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ event: 'scheduled', maintenance: true }])
  expect(await stateOf(site)).toBe('pending')
  await runCron()
  await expect.poll(() => stateOf(site)).toBe('delivered')
})
