import { beforeAll, describe, expect, vi } from 'vitest'
import type { Context } from '../../src/context.ts'
import { sha256Hex } from '../../src/core/ids.ts'
import { AUTH_TTL_MS, versionKey } from '../../src/freshness/site-versions.ts'
import { sweepAll } from '../../src/jobs.ts'
import { callsOf, loadScripts } from '../support/calls.ts'
import { makeKey, putGuide } from '../support/content.ts'
import { patientRedis, testContext } from '../support/context.ts'
import { IN_TIME } from '../support/in-time.ts'
import { it, makeSite, type TestSite } from '../support/site.ts'
import { runSql } from '../support/sql.ts'
import { BROKEN_DATABASE, callIn } from '../support/world.ts'

/** A request to an isolate with empty caches. */
const ask = (
  site: TestSite,
  { key = site.key, ...changes }: { key?: string; etag?: string } & object = {},
) => {
  const { etag, ...environment } = changes as { etag?: string }
  const headers: Record<string, string> = etag ? { 'If-None-Match': etag } : {}
  return callIn(environment, `/api/v1${site.path}/posts`, { key, headers })
}

async function siteInUse() {
  const site = await makeSite()
  await site.put('a')
  const etag = (await site.get('/posts')).headers.get('ETag')!
  return { site, etag }
}

const authKey = async (key: string) => `${testContext().config.REDIS_PREFIX}:auth:${await sha256Hex(key)}`

beforeAll(loadScripts)

describe('an isolate with empty caches', () => {
  it('answers 304 with two calls to Redis and none to Postgres', async () => {
    const { site, etag } = await siteInUse()
    expect(await callsOf(() => ask(site, { etag }))).toEqual({ status: 304, redis: 2, postgres: 0 })
    expect((await ask(site, { etag, ...BROKEN_DATABASE })).status).toBe(304)
  })

  it('refuses a revoked key after one call to Redis and one to Postgres, like an unknown key', async () => {
    const { site } = await siteInUse()
    const { id, key } = await makeKey(site)
    expect((await ask(site, { key })).status).toBe(200)
    await site.manage('PUT', `/keys/${id}/revocation`)
    // Work that the revocation deferred may end during this request.
    expect((await ask(site, { key })).status).toBe(401)
    expect(await callsOf(() => ask(site, { key }))).toEqual({ status: 401, redis: 1, postgres: 1 })
  })

  it('asks Postgres about a key once it expires', async () => {
    const { site, etag } = await siteInUse()
    const expiresAt = Date.now() + 1_800_000
    const { key } = await makeKey(site, { expiresAt: new Date(expiresAt).toISOString() })
    expect((await ask(site, { key })).status).toBe(200)
    vi.useFakeTimers({ toFake: ['Date'] })
    vi.setSystemTime(expiresAt - 1)
    expect((await ask(site, { key, etag, ...BROKEN_DATABASE })).status).toBe(304)
    vi.setSystemTime(expiresAt)
    expect((await ask(site, { key, etag, ...BROKEN_DATABASE })).status).toBe(500)
  })

  it('serves a new key, and logs no failure, when Redis does not store its access', async ({ site }) => {
    await site.put('a')
    const { fetch } = globalThis
    vi.spyOn(globalThis, 'fetch').mockImplementation((input, init) => {
      const isShared = String(init?.body).startsWith('["set"') && String(init?.body).includes(':auth:')
      return isShared ? Promise.reject(new Error('lost')) : fetch(input, init)
    })
    const lines: string[] = []
    vi.spyOn(console, 'log').mockImplementation((line) => void lines.push(line))
    expect((await ask(site)).status).toBe(200)
    vi.restoreAllMocks()
    expect(lines.filter((line) => /failed|unreachable/.test(line))).toEqual([])
  })

  it('asks Postgres when Redis cannot be reached', async () => {
    const { site, etag } = await siteInUse()
    const away = { UPSTASH_REDIS_REST_URL: 'http://127.0.0.1:1' }
    const response = await ask(site, { etag, ...away })
    expect([response.status, response.headers.has('X-RateLimit-Limit')]).toEqual([304, false])
  })
})

describe('the hourly sweep', () => {
  it('renews the cached access of keys in use, so that they never wake Postgres', async () => {
    const { site, etag } = await siteInUse()
    const { id, key } = await makeKey(site)
    await ask(site)
    await ask(site, { key })
    await site.manage('PUT', `/keys/${id}/revocation`)
    vi.useFakeTimers({ toFake: ['Date'] })
    for (let hours = 0; hours < 2; hours++) {
      // A sweep of a concurrent test, whose clock is hours behind, may come in between.
      await vi.waitFor(async () => {
        vi.setSystemTime(Date.now() + 3_600_000)
        await sweepAll(testContext(), new Date())
        expect(await callsOf(() => ask(site, { etag }))).toEqual({ status: 304, redis: 2, postgres: 0 })
      }, IN_TIME)
      expect((await ask(site, { key })).status).toBe(401)
    }
  })

  it('does not renew keys that were unused for a day', async () => {
    const { site, etag } = await siteInUse()
    await ask(site)
    await sweepAll(testContext(), new Date())
    vi.useFakeTimers({ toFake: ['Date'] })
    for (let hours = 0; hours < 26; hours += 25) {
      vi.setSystemTime(Date.now() + hours * 3_600_000)
      await sweepAll(testContext(), new Date())
    }
    vi.setSystemTime(Date.now() + AUTH_TTL_MS)
    expect((await callsOf(() => ask(site, { etag }))).postgres).toBe(1)
  })
})

describe('a body that another isolate has cached', () => {
  const PATHS = [
    '/posts',
    '/posts?updatedAfter=2020-01-01T00:00:00Z',
    '/posts/a',
    '/guides/a',
    '/sitemap.xml',
    '/changes',
  ]

  it('costs this isolate no query, until the next write', async ({ site }) => {
    await site.put('a', { status: 'published' })
    await putGuide(site, 'a')
    const elsewhere = (below: string) => callIn({}, `/api/v1${site.path}${below}`, { key: site.key })
    for (const below of PATHS) {
      const body = await (await site.get(below)).text()
      expect(await callsOf(() => elsewhere(below)), below).toEqual({ status: 200, redis: 2, postgres: 0 })
      expect(await (await elsewhere(below)).text()).toBe(body)
    }
    await site.put('a', { status: 'published', title: 'Second' })
    expect(await (await elsewhere('/posts')).json()).toMatchObject({ items: [{ title: 'Second' }] })
  })

  it('is loaded again after training rows were added, and hidden after an opt-out', async () => {
    const site = await makeSite({ trainingOptIn: true })
    const exported = () => callIn({}, `/api/v1${site.path}/training/export`, { key: site.key })
    for (const prompt of ['first', 'second']) {
      await site.manage('POST', '/training-rows', { rows: [{ prompt, completion: 'Because.' }] })
      expect(await (await exported()).text()).toContain(`"prompt":"${prompt}"`)
    }
    await site.manage('PATCH', '', { trainingOptIn: false })
    expect((await exported()).status).toBe(403)
  })

  it('is loaded again if the cache has only a part of it', async ({ site }) => {
    await site.put('a')
    const open = caches.open.bind(caches)
    vi.spyOn(caches, 'open').mockImplementation(async (name) => {
      const cache = await open(name)
      const putPart = async (url: string, response: Response) =>
        cache.put(url, new Response((await response.text()).slice(0, 40), response))
      return { match: (url: string) => cache.match(url), put: putPart } as unknown as Cache
    })
    const whole = await (await ask(site)).text()
    vi.restoreAllMocks()
    for (const postgres of [1, 0]) {
      expect(await callsOf(() => ask(site))).toMatchObject({ status: 200, postgres })
      expect(await (await ask(site)).text()).toBe(whole)
    }
  })

  it('is loaded without the cache if the cache fails', async ({ site }) => {
    vi.spyOn(caches, 'open').mockRejectedValue(new Error('lost'))
    expect((await ask(site)).status).toBe(200)
  })

  it('is not shared with another site or another query', async () => {
    const [one, other] = [await makeSite(), await makeSite()]
    await one.put('a')
    const total = async (site: TestSite, query = '') => {
      const response = await callIn({}, `/api/v1${site.path}/posts${query}`, { key: site.key })
      return (await response.json<{ total: number }>()).total
    }
    expect([await total(one), await total(other), await total(one, '?status=published')]).toEqual([1, 0, 0])
  })
})

describe('a key whose site changed without an update of Redis', () => {
  it.each([
    ['revoked', 'update api_keys set revoked_at = now() where site_id = $1'],
    ['deleted', 'delete from sites where id = $1'],
  ])('and was %s, is refused by every isolate after 65 minutes', async (_, statement) => {
    const { site } = await siteInUse()
    const isolate = {}
    const inUse = (changes: Record<string, unknown>) =>
      callIn(changes, `/api/v1${site.path}/posts`, { key: site.key }).then(({ status }) => status)
    expect(await inUse(isolate)).toBe(200)
    await runSql(statement, [site.id])
    vi.useFakeTimers({ toFake: ['Date'] })
    vi.setSystemTime(Date.now() + AUTH_TTL_MS)
    expect([await inUse(isolate), await inUse({}), (await site.get('/posts')).status]).toEqual([
      401, 401, 401,
    ])
  })
})

describe('an attacker who can write to Redis', () => {
  it('cannot invent the access of a key, or give it that of another', async () => {
    const { site } = await siteInUse()
    await ask(site)
    const redis = patientRedis()
    const other = await makeSite()
    const auth = { keyId: site.id, access: 'full', site: { id: site.id } }
    const invented = JSON.stringify({ auth, expiresAt: null })
    for (const stored of [invented, (await redis.get<string>(await authKey(site.key)))!]) {
      await redis.set(await authKey(other.key), stored)
      expect((await ask(site, { key: other.key })).status).toBe(401)
    }
  })

  it('cannot restore access that a key had 65 minutes ago', async () => {
    const { site } = await siteInUse()
    const redis = patientRedis()
    const { config } = testContext()
    const { id, key } = await makeKey(site)
    await ask(site, { key })
    const names = [await authKey(key), versionKey({ config } as Context, site.id)]
    const earlier = await Promise.all(names.map((name) => redis.get<string>(name)))
    await site.manage('PUT', `/keys/${id}/revocation`)
    for (const [i, name] of names.entries()) await redis.set(name, earlier[i]!)
    vi.useFakeTimers({ toFake: ['Date'] })
    vi.setSystemTime(Date.now() + AUTH_TTL_MS)
    expect((await ask(site, { key })).status).toBe(401)
  })

  it('cannot restore a revoked key', async () => {
    const { site } = await siteInUse()
    const redis = patientRedis()
    const { id, key } = await makeKey(site)
    await ask(site, { key })
    const earlier = (await redis.get<string>(await authKey(key)))!
    await site.manage('PUT', `/keys/${id}/revocation`)
    await redis.set(await authKey(key), earlier)
    expect((await ask(site, { key })).status).toBe(401)
  })
})
