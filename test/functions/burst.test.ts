import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { READER_TIMEOUT_MS } from '../../src/core/redis.ts'
import { stopAtMinute } from '../support/clock.ts'
import { makeKey, rateOf, UNCOUNTED } from '../support/content.ts'
import { bindings } from '../support/context.ts'
import { interceptFetch } from '../support/own-calls.ts'
import { makeSite, type TestSite } from '../support/site.ts'
import { runSql } from '../support/sql.ts'

const BURST = 80

beforeEach(() => {
  // The count starts again with the day.
  stopAtMinute()
  soundRedis()
})
afterEach(() => void vi.restoreAllMocks())

/** The service waits for it as long as needed on a busy machine. */
const soundRedis = () => redisThat((fetch, input, init) => fetch(input, { ...init, signal: null }))

/**
 * Redis takes 5 ms longer for each running call, so that a burst delays each of its requests by 400 ms. Late replies depend
 * only on that, and not on the machine.
 */
function slowRedis() {
  let underWay = 0
  return redisThat(async (fetch, input, init) => {
    underWay += 1
    const ms = 5 * underWay
    // Redis executes the command, even if nobody waits for the reply any more.
    const reply = fetch(input, { ...init, signal: null })
    await sleep(ms)
    underWay -= 1
    if (ms > READER_TIMEOUT_MS) throw new DOMException('Too late', 'TimeoutError')
    return reply
  })
}

const noRedis = () => redisThat(() => Promise.reject(new TypeError('connection lost')))

/** Redis executes commands, and replies when nobody waits any more. */
const lateRedis = () =>
  redisThat(async (fetch, input, init) => {
    await (await fetch(input, { ...init, signal: null })).arrayBuffer()
    throw new DOMException('late', 'TimeoutError')
  })

/**
 * Redis answers like this from now on.
 * @returns the number of queries to Postgres, and how many ran at once
 */
function redisThat(answer: Parameters<typeof interceptFetch>[0]) {
  vi.restoreAllMocks()
  const queries = { all: 0, atOnce: 0 }
  let underWay = 0
  interceptFetch(async (fetch, input, init) => {
    if (String(input).startsWith(String(bindings.UPSTASH_REDIS_REST_URL))) return answer(fetch, input, init)
    if (String(input) !== bindings.DATABASE_HTTP_ENDPOINT) return fetch(input, init)
    queries.all += 1
    underWay += 1
    queries.atOnce = Math.max(queries.atOnce, underWay)
    return fetch(input, init).finally(() => {
      underWay -= 1
    })
  })
  return queries
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

async function statusesOf(asked: Promise<Response>[]) {
  const statuses = (await Promise.all(asked)).map(({ status }) => status)
  return (status: number) => statuses.filter((each) => each === status).length
}

const burst = (site: TestSite, below = '/posts') =>
  statusesOf(Array.from({ length: BURST }, () => site.get(below)))

async function useUp(site: TestSite, quota: number) {
  for (let used = 0; used < quota; used++) expect((await site.get('/posts')).status).toBe(200)
}

describe('a used-up quota', () => {
  it('holds against bursts that slow Redis down, and they cost few queries', async () => {
    const site = await makeSite({ dailyQuota: 5 })
    await site.put('a')
    await useUp(site, 5)
    const queries = slowRedis()
    for (let round = 0; round < 4; round++) expect((await burst(site))(429), `round ${round}`).toBe(BURST)
    expect(queries.all).toBeLessThanOrEqual(8)
  })

  it('has the difference left when it is raised after bursts', async () => {
    const site = await makeSite({ dailyQuota: 5 })
    await useUp(site, 5)
    slowRedis()
    for (let round = 0; round < 2; round++) await burst(site)
    soundRedis()
    await site.manage('PATCH', '', { dailyQuota: 8 })
    expect(rateOf(await site.get('/posts'))).toMatchObject({ limit: 8, remaining: 2 })
  })

  it('answers 429 with the usual headers while Redis is down, also to conditional requests', async () => {
    const site = await makeSite({ dailyQuota: 1 })
    const etag = (await site.get('/posts')).headers.get('ETag')!
    noRedis()
    for (const headers of [{}, { 'If-None-Match': etag }] as Record<string, string>[]) {
      const response = await site.get('/posts', { headers })
      expect(response.status).toBe(429)
      expect(rateOf(response)).toMatchObject({ limit: 1, remaining: 0 })
      expect(Number(response.headers.get('Retry-After'))).toBeGreaterThan(0)
    }
  })

  it('that is raised while Redis is down takes effect within 10 s', async () => {
    const site = await makeSite({ dailyQuota: 1 })
    await useUp(site, 1)
    const queries = noRedis()
    expect((await site.get('/posts')).status).toBe(429)
    await site.manage('PATCH', '', { dailyQuota: 3 })
    const before = queries.all
    expect((await site.get('/posts')).status).toBe(429)
    expect(queries.all).toBe(before)
    vi.setSystemTime(Date.now() + 10_001)
    const statuses = []
    for (let asked = 0; asked < 4; asked++) statuses.push((await site.get('/posts')).status)
    expect(statuses).toEqual([200, 200, 429, 429])
  })

  it('answers 401 to a key from the next request after its revocation', async () => {
    const site = await makeSite({ dailyQuota: 1 })
    const { key, id } = await makeKey(site)
    await useUp(site, 1)
    expect((await site.get('/posts', { key })).status).toBe(429)
    await site.manage('PUT', `/keys/${id}/revocation`)
    expect((await site.get('/posts', { key })).status).toBe(401)
  })
})

describe('a quota with some left', () => {
  it('is enforced by the isolate while Redis is down', async () => {
    const site = await makeSite({ dailyQuota: 5 })
    await useUp(site, 2)
    noRedis()
    for (const status of [200, 200, 200, 429, 429]) {
      const response = await site.get('/posts')
      expect(response.status).toBe(status)
      if (status === 200) expect(rateOf(response)).toEqual(UNCOUNTED)
    }
    // None of these are counted.
    expect((await site.get('/guides')).status).toBe(200)
    soundRedis()
    expect(rateOf(await site.get('/posts'))).toMatchObject({ remaining: 2 })
  })

  it('allows a request whose reply is lost once Redis has recovered from an outage', async () => {
    const site = await makeSite({ dailyQuota: 10 })
    soundRedis()
    await useUp(site, 1)
    noRedis()
    await useUp(site, 6)
    soundRedis()
    for (const remaining of [8, 7, 6]) expect(rateOf(await site.get('/posts'))).toMatchObject({ remaining })
    noRedis()
    const alone = await site.get('/posts')
    expect([alone.status, rateOf(alone)]).toEqual([200, UNCOUNTED])
    soundRedis()
    expect(rateOf(await site.get('/posts'))).toMatchObject({ remaining: 5 })
  })

  it('counts a request once when Redis counted it but replied too late', async () => {
    const site = await makeSite({ dailyQuota: 10 })
    // Redis counts only for keys that it can confirm, and has the versions of a site from its first write on.
    await site.put('a')
    soundRedis()
    await useUp(site, 1)
    lateRedis()
    await useUp(site, 3)
    soundRedis()
    expect(rateOf(await site.get('/posts'))).toMatchObject({ remaining: 5 })
    lateRedis()
    await useUp(site, 5)
    expect((await site.get('/posts')).status).toBe(429)
  })

  it('holds against bursts that slow Redis down', async () => {
    const site = await makeSite({ dailyQuota: 20 })
    await useUp(site, 5)
    slowRedis()
    expect((await burst(site))(200) + (await burst(site))(200)).toBeLessThanOrEqual(15)
  })
})

describe('a burst with a key that the isolate does not know', () => {
  it('queries Postgres for it at most twice, and stays within the quota however slow Redis gets', async () => {
    const site = await makeSite({ dailyQuota: 5 })
    await site.put('a')
    const queries = slowRedis()
    const count = await burst(site)
    expect(count(200)).toBeLessThanOrEqual(5)
    expect(count(200) + count(429)).toBe(BURST)
    // The key, and the queries of the five admitted requests.
    expect(queries.all).toBeLessThanOrEqual(2 + 5)
  })

  it('loads an answer that all ask for in sequence, not all at once', async () => {
    const site = await makeSite({ plan: 'scale' })
    await site.put('a', { status: 'published' })
    const queries = slowRedis()
    expect((await burst(site, '/posts/a'))(200)).toBe(BURST)
    expect((await burst(site, '/posts/missing'))(404)).toBe(BURST)
    expect(queries.atOnce).toBeLessThanOrEqual(3)
  })

  it('queries Postgres at most twice when the key is revoked', async () => {
    const site = await makeSite()
    const { key, id } = await makeKey(site)
    await site.manage('PUT', `/keys/${id}/revocation`)
    const queries = slowRedis()
    const count = await statusesOf(Array.from({ length: BURST }, () => site.get('/posts', { key })))
    expect(count(401)).toBe(BURST)
    expect(queries.all).toBeLessThanOrEqual(2)
  })

  it('is served while Redis is down, since its quota is unknown, with few queries at a time', async () => {
    const site = await makeSite({ dailyQuota: 5 })
    await site.put('a')
    const queries = noRedis()
    expect((await burst(site, '/posts/a'))(200)).toBe(BURST)
    expect(queries.atOnce).toBeLessThanOrEqual(3)
  })
})

describe('a burst for a body that must not be cached', () => {
  it('loads it a few times in sequence after SQL by hand, and everybody gets the current one', async () => {
    const site = await makeSite({ plan: 'scale' })
    await site.put('a')
    await site.get('/guides')
    await runSql(`update posts set title = 'by hand' where site_id = $1`, [site.id])
    const queries = soundRedis()
    const answers = await Promise.all(Array.from({ length: BURST }, () => site.get('/posts/a')))
    expect(queries.atOnce).toBe(1)
    expect(queries.all).toBeLessThanOrEqual(8)
    for (const answer of answers) expect(await answer.json()).toMatchObject({ title: 'by hand' })
  })

  it('sends a large body to everybody', async () => {
    const site = await makeSite({ plan: 'scale' })
    const contentHtml = `<p>${'x'.repeat(4_700_000)}</p>`
    await site.put('a', { contentHtml })
    const answers = await Promise.all(Array.from({ length: 5 }, () => site.get('/posts/a')))
    for (const answer of answers)
      expect((await answer.json<{ contentHtml: string }>()).contentHtml).toBe(contentHtml)
  })
})
