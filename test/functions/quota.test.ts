import { beforeEach, describe, expect, it, vi } from 'vitest'
import { counterKeys } from '../../src/access/counters.ts'
import { limitOf } from '../../src/access/quota.ts'
import { createLimiter, Ratelimit } from '../../src/access/rate-limiter.ts'
import type { ApiKeyAuth } from '../../src/caches.ts'
import { versionKey } from '../../src/freshness/site-versions.ts'
import { stopAtMinute } from '../support/clock.ts'
import { makeKey, putGuide, rateOf, UNCOUNTED } from '../support/content.ts'
import { bindings, patientRedis, testContext } from '../support/context.ts'
import { interceptFetch } from '../support/own-calls.ts'
import { siteScope } from '../support/scope.ts'
import { errorOf, makeSite, type TestSite } from '../support/site.ts'
import { statementsOf } from '../support/sql.ts'
import { isolate } from '../support/world.ts'

const COUNTED = ['/posts', '/posts/a', '/posts/missing', '/sitemap.xml', '/sitemap.xml?page=9']

function nextMidnight() {
  return (Math.floor(Date.now() / 86_400_000) + 1) * 86_400
}

// The count starts again with the day.
beforeEach(stopAtMinute)

describe('the limit', () => {
  const limit = (site: object, access: ApiKeyAuth['access'] = 'full') =>
    limitOf({ site: siteScope(site) as ApiKeyAuth['site'], access })

  it('is that of the plan, or the site’s own number', () => {
    const plans = ['free', 'starter', 'growth', 'scale'].map((plan) => limit({ plan }))
    expect(plans).toEqual([1_000, 10_000, 100_000, 1_000_000])
    expect(limit({ plan: 'scale', dailyQuota: 7 })).toBe(7)
  })

  it('of sitemap-only keys is a tenth of it, at least 100', () => {
    const limits = [{ plan: 'growth' }, { dailyQuota: 1_001 }, { dailyQuota: 7 }].map((site) =>
      limit(site, 'sitemap'),
    )
    expect(limits).toEqual([10_000, 101, 100])
    expect(limit({ dailyQuota: 1_001 }, 'published')).toBe(1_001)
  })
})

describe('headers', () => {
  it('are on every counted 200 and 404, one less each time', async () => {
    const site = await makeSite({ dailyQuota: 50 })
    await site.put('a', { status: 'published' })
    for (const [n, below] of COUNTED.entries()) {
      const before = nextMidnight()
      const { limit, remaining, reset } = rateOf(await site.get(below))
      expect({ limit, remaining }, below).toEqual({ limit: 50, remaining: 49 - n })
      expect([before, nextMidnight()]).toContain(reset)
    }
    expect(rateOf(await site.get('/posts', { method: 'HEAD' }))).toMatchObject({ remaining: 44 })
  })
})

describe('the day', () => {
  it('begins at midnight UTC, with a new quota', async () => {
    const midnight = nextMidnight() * 1_000
    vi.setSystemTime(midnight - 1)
    const site = await makeSite({ dailyQuota: 1 })
    const statuses = [(await site.get('/posts')).status, (await site.get('/posts')).status]
    vi.setSystemTime(midnight)
    expect([...statuses, (await site.get('/posts')).status]).toEqual([200, 429, 200])
  })
})

describe('304', () => {
  const asked = async (site: TestSite, below: string, known: string) => {
    const response = await site.get(below, { headers: { 'If-None-Match': known } })
    expect(response.status).toBe(304)
    return rateOf(response)
  }

  it('is free, and shows the remaining quota', async () => {
    const site = await makeSite({ dailyQuota: 9 })
    await site.put('a', { status: 'published' })
    for (const [n, below] of ['/posts', '/posts/a', '/sitemap.xml'].entries()) {
      const tag = (await site.get(below)).headers.get('ETag')!
      for (const known of [tag, '*', tag])
        expect(await asked(site, below, known), below).toEqual({
          limit: 9,
          remaining: 8 - n,
          reset: nextMidnight(),
        })
    }
  })

  it('for `*` costs a unit where an answer has to be loaded to know', async () => {
    const site = await makeSite({ dailyQuota: 9 })
    await site.put('a', { status: 'published' })
    const costly = ['/posts/a', '/sitemap.xml?page=1', '/changes']
    for (const [n, below] of ['/posts', '/sitemap.xml', ...costly].entries())
      expect(await asked(site, below, '*'), below).toMatchObject({ remaining: 9 - Math.max(0, n - 1) })
  })

  it('for `*` never queries the database more often than the quota allows', async () => {
    const site = await makeSite({ dailyQuota: 3 })
    await site.put('a', { status: 'published' })
    const ask = (limit: number) => site.get(`/changes?limit=${limit}`, { headers: { 'If-None-Match': '*' } })
    const statuses = []
    for (let limit = 1; limit <= 4; limit++) statuses.push((await ask(limit)).status)
    expect(statuses).toEqual([304, 304, 304, 429])
    expect(await statementsOf(() => ask(5))).toEqual([])
  })
})

describe('429', () => {
  it('is sent after exactly the quota, by every counted route, with Retry-After', async () => {
    const site = await makeSite({ dailyQuota: COUNTED.length })
    await site.put('a', { status: 'published' })
    const statuses = []
    for (const below of COUNTED) statuses.push((await site.get(below)).status)
    expect(statuses).toEqual([200, 200, 404, 200, 404])
    for (const below of COUNTED) {
      const before = Date.now()
      const response = await site.get(below)
      const retryAfter = Number(response.headers.get('Retry-After'))
      expect(rateOf(response), below).toEqual({ limit: COUNTED.length, remaining: 0, reset: nextMidnight() })
      expect(retryAfter).toBeGreaterThanOrEqual(nextMidnight() - Date.now() / 1_000)
      expect(retryAfter).toBeLessThanOrEqual(Math.ceil(nextMidnight() - before / 1_000))
      expect(response.headers.get('Cache-Control')).toBe('no-store')
      expect(response.headers.get('ETag')).toBeNull()
      expect(await errorOf(response, 429)).toBe('Daily request quota exceeded')
    }
  })

  it('takes precedence over 304 and 404, but not over 401 and 400', async () => {
    const site = await makeSite({ dailyQuota: 1 })
    await site.put('a')
    const tag = (await site.get('/posts')).headers.get('ETag')!
    expect((await site.get('/posts', { headers: { 'If-None-Match': tag } })).status).toBe(429)
    expect((await site.get('/posts/missing')).status).toBe(429)
    expect((await site.get('/posts?page=0')).status).toBe(400)
    expect((await site.get('/posts/a?include=a&include=b')).status).toBe(400)
    expect((await site.get('/sitemap.xml?page=0')).status).toBe(400)
    expect((await site.get('/posts?page=0', { key: null })).status).toBe(401)
  })

  it('is exact with many simultaneous requests', async () => {
    const site = await makeSite({ dailyQuota: 5 })
    const responses = await Promise.all(Array.from({ length: 12 }, () => site.get('/posts')))
    const statuses = responses.map(({ status }) => status).sort()
    expect(statuses).toEqual([...Array(5).fill(200), ...Array(7).fill(429)])
    const remaining = responses.filter(({ status }) => status === 200).map((each) => rateOf(each).remaining!)
    expect(remaining.sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4])
  })

  it('is shared by all keys of a site, but not between sites', async () => {
    const site = await makeSite({ dailyQuota: 1 })
    const other = await makeSite({ dailyQuota: 1 })
    const { key } = await makeKey(site)
    expect((await site.get('/posts')).status).toBe(200)
    expect((await site.get('/posts', { key })).status).toBe(429)
    expect((await other.get('/posts')).status).toBe(200)
  })
})

describe('no quota is used by', () => {
  it('a request refused with 401 or 400, a 405 or an unknown path', async () => {
    const site = await makeSite({ dailyQuota: 5 })
    const other = await makeSite()
    const free = [
      await site.get('/posts', { key: null }),
      await site.get('/posts', { key: other.key }),
      await site.get('/posts?page=0'),
      await site.get('/posts/a?include=a&include=b'),
      await site.get('/sitemap.xml?page=0'),
      await site.get('/posts', { method: 'POST' }),
      await site.get('/nothing'),
    ]
    expect(free.map(({ status }) => status)).toEqual([401, 401, 400, 400, 400, 405, 404])
    for (const response of free) expect(rateOf(response)).toEqual(UNCOUNTED)
    expect(rateOf(await site.get('/posts'))).toMatchObject({ remaining: 4 })
  })

  it('a guide, redirects, the export or a webhook test, which are served even at zero', async () => {
    const site = await makeSite({ dailyQuota: 1, trainingOptIn: true })
    await putGuide(site, 'a')
    await site.get('/posts')
    for (const below of ['/guides', '/guides/a', '/guides/missing', '/redirects', '/training/export']) {
      const response = await site.get(below)
      expect(response.status, below).toBe(below.includes('missing') ? 404 : 200)
      expect(rateOf(response), below).toEqual(UNCOUNTED)
    }
  })
})

describe('a raised quota', () => {
  it('takes effect at once, however many requests were refused before, and so does a lowered one', async () => {
    const site = await makeSite({ dailyQuota: 2 })
    for (const status of [200, 200, 429, 429, 429]) expect((await site.get('/posts')).status).toBe(status)
    await site.manage('PATCH', '', { dailyQuota: 4 })
    const response = await site.get('/posts')
    expect(response.status).toBe(200)
    expect(rateOf(response)).toMatchObject({ limit: 4, remaining: 1 })
    await site.manage('PATCH', '', { dailyQuota: null, plan: 'starter' })
    expect(rateOf(await site.get('/posts'))).toMatchObject({ limit: 10_000, remaining: 9_996 })
    await site.manage('PATCH', '', { dailyQuota: 4 })
    expect((await site.get('/posts')).status).toBe(429)
  })
})

describe('a sitemap-only key', () => {
  const sitemapOf = (site: TestSite, key: string, headers: Record<string, string> = {}) =>
    site.get('/sitemap.xml', { key, headers })
  const sitemapKeys = (site: TestSite) =>
    Promise.all([1, 2].map(async () => (await makeKey(site, { access: 'sitemap' })).key))

  it('shares it with the site’s other sitemap-only keys, and cannot use up the site’s quota', async () => {
    const site = await makeSite({ dailyQuota: 5 })
    const [one, other] = await sitemapKeys(site)
    const ctx = testContext()
    await patientRedis().incrby(counterKeys(ctx, site, new Date())[1]!, 98)
    expect(rateOf(await sitemapOf(site, one!))).toMatchObject({ limit: 100, remaining: 1 })
    expect(rateOf(await sitemapOf(site, other!))).toMatchObject({ remaining: 0 })
    for (const key of [one!, other!]) {
      const refused = await sitemapOf(site, key)
      expect(await errorOf(refused, 429)).toBe('Daily request quota exceeded')
      expect(rateOf(refused)).toEqual({ limit: 100, remaining: 0, reset: nextMidnight() })
      expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(0)
    }
    expect(rateOf(await site.get('/posts'))).toMatchObject({ limit: 5, remaining: 4 })
    expect(rateOf(await site.get('/sitemap.xml'))).toMatchObject({ limit: 5, remaining: 3 })
  })
})

describe('a counted request', () => {
  it('is counted where Ratelimit counts', async () => {
    const site = await makeSite({ dailyQuota: 5 })
    for (let read = 0; read < 2; read++) await site.get('/posts')
    const limiter = createLimiter(testContext(), 'quota', Ratelimit.fixedWindow(5, '1 d'))
    expect((await limiter.getRemaining(site.id)).remaining).toBe(3)
  })

  it('is one command to Redis, also when it is refused or answered with 304', async () => {
    const site = await makeSite({ dailyQuota: 2 })
    await site.put('a')
    const tag = (await site.get('/posts')).headers.get('ETag')!
    await site.get('/posts/a')
    await site.get('/posts', { headers: { 'If-None-Match': tag } })
    const sent: string[] = []
    interceptFetch((fetch, input, init) => {
      if (String(input).startsWith(String(bindings.UPSTASH_REDIS_REST_URL))) {
        sent.push(new URL(String(input)).pathname + String(JSON.parse(String(init?.body))[0]))
      }
      return fetch(input, init)
    })
    expect((await site.get('/posts', { headers: { 'If-None-Match': tag } })).status).toBe(429)
    expect((await site.get('/posts')).status).toBe(429)
    vi.restoreAllMocks()
    expect(sent).toEqual(['/evalsha', '/evalsha'])
  })

  it('is counted once by an isolate that has not seen the last change, and a 304 not at all', async () => {
    const site = await makeSite({ dailyQuota: 9 })
    await site.put('a')
    const path = `/api/v1${site.path}/posts`
    const { ask } = isolate()
    const first = await ask(path, site.key)
    await site.put('a', { title: 'Changed' })
    const tag = (await site.get('/posts')).headers.get('ETag')!
    const stale = { 'If-None-Match': first.headers.get('ETag')! }
    const changed = await ask(path, site.key, { headers: stale })
    expect([changed.status, rateOf(changed)]).toMatchObject([200, { remaining: 6 }])
    await site.put('a', { title: 'Changed again' })
    await site.put('a', { title: 'Changed' })
    const again = (await site.get('/posts')).headers.get('ETag')!
    const known = await ask(path, site.key, { headers: { 'If-None-Match': `${tag}, ${again}` } })
    expect([known.status, rateOf(known)]).toMatchObject([304, { remaining: 5 }])
    await site.put('a', { title: 'Changed at last' })
    expect(rateOf(await ask(path, site.key))).toMatchObject({ remaining: 4 })
  })

  it('leaves counts by key in Redis that expire, and versions that do not', async () => {
    const site = await makeSite({ plan: 'scale' })
    await site.put('a')
    await site.get('/posts')
    const redis = patientRedis()
    const [counts] = await redis.keys(`${testContext().config.REDIS_PREFIX}:key-requests:*:${site.id}`)
    expect(await redis.ttl(counts!)).toBeGreaterThan(86_400)
    expect(await redis.ttl(versionKey(testContext(), site.id))).toBe(-1)
  })
})
