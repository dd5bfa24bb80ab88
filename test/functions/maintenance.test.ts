import { createExecutionContext, createMessageBatch, getQueueResult } from 'cloudflare:test'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { queue } from '../../functions/queue.ts'
import worker from '../../functions/worker.ts'
import { callsOf } from '../support/calls.ts'
import { bindings } from '../support/context.ts'
import { hand, lostEvent, rewind, runCron, stateOf } from '../support/outbox.ts'
import { makeSite, ORIGIN, operatorToken } from '../support/site.ts'
import { deliveries } from '../support/webhook.ts'

const MAINTENANCE = { ...bindings, MAINTENANCE: 'true' }

function ask(path: string, { method = 'GET', key = '', env = MAINTENANCE as typeof bindings } = {}) {
  const headers = { Authorization: `Bearer ${key}` }
  return worker.fetch(new Request(ORIGIN + path, { method, headers }), env, createExecutionContext())
}

afterEach(() => void vi.restoreAllMocks())

describe('a request during maintenance', () => {
  it.each([
    ['GET', '/api/v1/sites/{site}/posts'],
    ['GET', '/api/v1/sites/{site}/posts/a'],
    ['GET', '/api/v1/sites/{site}/sitemap.xml'],
    ['POST', '/api/v1/webhooks/test'],
    ['GET', '/manage/v1/sites'],
    ['PUT', '/manage/v1/sites/{site}/posts/a'],
    ['DELETE', '/manage/v1/sites/{site}'],
    ['POST', '/mcp'],
    ['GET', '/sitemaps/unknown/sitemap.xml'],
    ['GET', '/no-such-path'],
  ])('gets 503 without a query to Postgres or Redis: %s %s', async (method, path) => {
    const site = await makeSite()
    const key = path.startsWith('/manage') ? operatorToken : site.key
    const answers: Response[] = []
    const calls = await callsOf(async () => {
      answers.push(await ask(path.replace('{site}', site.id), { method, key }))
      return answers[0]!
    })
    expect(calls).toEqual({ status: 503, postgres: 0, redis: 0 })
    expect(Object.fromEntries(answers[0]!.headers)).toMatchObject({
      'retry-after': '60',
      'cache-control': 'no-store',
      'content-type': 'application/json',
    })
    expect(await answers[0]!.json()).toEqual({ error: 'Service is under maintenance' })
  })

  it.each([
    ['GET', '/'],
    ['GET', '/console/overview'],
    ['POST', '/console/sign-in'],
    ['GET', '/drafts/unknown'],
    ['GET', '/docs'],
  ])('from a browser gets a readable sentence: %s %s', async (method, path) => {
    const answers: Response[] = []
    const calls = await callsOf(async () => {
      answers.push(await ask(path, { method }))
      return answers[0]!
    })
    expect(calls).toEqual({ status: 503, postgres: 0, redis: 0 })
    expect(Object.fromEntries(answers[0]!.headers)).toMatchObject({
      'retry-after': '60',
      'cache-control': 'no-store',
      'content-type': expect.stringContaining('text/plain'),
    })
    expect(await answers[0]!.text()).toBe('The service is under maintenance. Try again in a few minutes.')
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

  it('is answered again as soon as maintenance ends', async () => {
    const site = await makeSite()
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
