import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import { describe, expect, inject, vi } from 'vitest'
import worker from '../../functions/worker.ts'
import { bindings } from '../support/context.ts'
import { inspected } from '../support/guard.ts'
import { interceptFetch } from '../support/own-calls.ts'
import { it, makeSite, type TestSite } from '../support/site.ts'
import { isolate } from '../support/world.ts'

/** The list from a Worker whose Redis is at `url`. */
async function listWithRedisAt(url: string, site: TestSite, changes: Record<string, string> = {}) {
  const execution = createExecutionContext()
  const request = new Request(`https://api.test/api/v1/sites/${site.id}/posts`, {
    headers: { Authorization: `Bearer ${site.key}` },
  })
  const started = Date.now()
  const env = { ...bindings, UPSTASH_REDIS_REST_URL: url, ...changes }
  const response = await worker.fetch(request, env, execution)
  const durationMs = Date.now() - started
  await waitOnExecutionContext(execution)
  return { response: inspected(request, response), durationMs }
}

describe('with a Redis that', () => {
  it.each([
    ['answers nonsense', () => `${inject('receiver')}/redis/ok`],
    ['fails', () => `${inject('receiver')}/redis/status/500`],
  ])('%s, the request is served, without rate headers', async (_, url) => {
    const site = await makeSite({ dailyQuota: 1 })
    await site.put('a')
    for (let i = 0; i < 2; i++) {
      const { response, durationMs } = await listWithRedisAt(url(), site)
      expect(response.status).toBe(200)
      expect(await response.json()).toMatchObject({ total: 1 })
      expect([...response.headers.keys()].filter((name) => /ratelimit/i.test(name))).toEqual([])
      expect(durationMs).toBeLessThan(5_000)
    }
    expect((await site.get('/posts')).headers.get('X-RateLimit-Remaining')).toBe('0')
  })
})

describe('with a Redis that does not respond', () => {
  it('a request waits for it longer, by TIMEOUT_FACTOR', async ({ site }) => {
    const url = `${inject('receiver')}/redis/hang`
    const { response, durationMs } = await listWithRedisAt(url, site, { TIMEOUT_FACTOR: '4' })
    expect(response.status).toBe(200)
    expect(durationMs).toBeGreaterThan(1_100)
  })

  it('only one call is made, even if quota and content have changed since the answer was cached', async () => {
    const site = await makeSite()
    await site.put('a')
    const url = `${inject('receiver')}/redis/hang`
    const { ask } = isolate({ UPSTASH_REDIS_REST_URL: url })
    const list = (headers: Record<string, string> = {}) =>
      ask(`/api/v1${site.path}/posts`, site.key, { headers })
    const etag = (await list()).headers.get('ETag')!
    await site.put('b')
    await site.manage('PATCH', '', { dailyQuota: 7 })
    const calls = vi.spyOn(globalThis, 'fetch')
    const response = await list({ 'If-None-Match': etag })
    const asked = calls.mock.calls.filter(([input]) =>
      String(input instanceof Request ? input.url : input).startsWith(url),
    )
    vi.restoreAllMocks()
    expect(await response.json()).toMatchObject({ total: 2 })
    expect(asked).toHaveLength(1)
  })
})

describe('an outage of Redis', () => {
  it('logs one line per minute, with the number of uncounted requests', async ({ site }) => {
    await site.put('a')
    const lines: Record<string, unknown>[] = []
    vi.spyOn(console, 'log').mockImplementation((line) => void lines.push(JSON.parse(line)))
    const outages = () => lines.filter(({ event }) => event === 'quota.unreachable')
    vi.useFakeTimers({ toFake: ['Date'] })
    vi.setSystemTime(Date.now() + 120_000)
    for (let i = 0; i < 3; i++) await listWithRedisAt('http://127.0.0.1:1', site)
    expect(outages()).toHaveLength(1)
    vi.setSystemTime(Date.now() + 60_000)
    for (let i = 0; i < 3; i++) await listWithRedisAt('http://127.0.0.1:1', site)
    expect(outages().map(({ uncounted }) => uncounted)).toEqual([expect.any(Number), 3])
  })
})

describe('a Redis that fails once', () => {
  /** Fails the first call to Redis, and counts all calls. */
  function failOnce() {
    const calls = { redis: 0 }
    interceptFetch((fetch, input, init) => {
      const url = String(input instanceof Request ? input.url : input)
      if (!url.startsWith(String(bindings.UPSTASH_REDIS_REST_URL))) return fetch(input, init)
      calls.redis += 1
      return calls.redis === 1 ? Promise.reject(new TypeError('connection lost')) : fetch(input, init)
    })
    return calls
  }

  it('is not called again, since it may have counted the request', async ({ site }) => {
    await site.get('/posts')
    const calls = failOnce()
    expect((await site.get('/posts')).status).toBe(200)
    expect(calls.redis).toBe(1)
  })

  it('counts nothing for a 304 without its reply', async ({ site }) => {
    await site.put('a')
    const before = Number((await site.get('/posts/a')).headers.get('X-RateLimit-Remaining'))
    failOnce()
    expect((await site.get('/posts/a', { headers: { 'If-None-Match': '*' } })).status).toBe(304)
    vi.restoreAllMocks()
    expect(Number((await site.get('/posts')).headers.get('X-RateLimit-Remaining'))).toBe(before - 1)
  })
})
