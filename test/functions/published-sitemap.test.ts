import { createExecutionContext, createMessageBatch, waitOnExecutionContext } from 'cloudflare:test'
import { beforeAll, describe, expect, it, vi } from 'vitest'

import { generateKey } from '../../src/access/keys.ts'
import { generateToken } from '../../src/crypto/token.ts'
import { purgesKey } from '../../src/freshness/purges.ts'
import { deleteSite } from '../../src/sites/deletion.ts'
import cachedWorker from '../support/cached-worker.ts'
import { callsOf, loadScripts } from '../support/calls.ts'
import { askCanonical as ask } from '../support/canonical.ts'
import { rateOf, UNCOUNTED } from '../support/content.ts'
import { bindings, patientRedis, testContext } from '../support/context.ts'
import { IN_TIME } from '../support/in-time.ts'
import { call, errorOf, makeSite, ORIGIN, type TestSite } from '../support/site.ts'
import { callsOf as queriesOf } from '../support/sql.ts'
import { BROKEN_DATABASE, callIn } from '../support/world.ts'

const CACHED = 'public, max-age=300, stale-while-revalidate=86400, stale-if-error=86400'
const pathOf = (url: string) => url.replace(ORIGIN, '')

async function publishedSite() {
  const site = await makeSite()
  await site.put('a', { status: 'published' })
  return { site, ...(await publish(site)) }
}

async function publish(site: TestSite) {
  const { url, proxiedUrl } = await site.manage('PUT', '/sitemap')
  return { path: pathOf(url), proxied: pathOf(proxiedUrl) }
}

/** The same, from an isolate with empty caches. */
const askElsewhere = (path: string, changes: Record<string, unknown> = {}) =>
  ask(path, {}, { ...bindings, ...changes })

/** The queue's message, whatever the time of the last purge. */
async function purgeOfTheQueue() {
  await patientRedis().del(`${purgesKey(testContext())}:turn`)
  const execution = createExecutionContext()
  const batch = createMessageBatch('webhook-events', [
    { id: crypto.randomUUID(), timestamp: new Date(), attempts: 1, body: { kind: 'purge' } },
  ])
  await cachedWorker.queue(batch, bindings, execution)
  await waitOnExecutionContext(execution)
}

beforeAll(loadScripts)

describe('200', () => {
  it('is the same sitemap as with a key, but cacheable and without a quota', async () => {
    const { site, path, proxied } = await publishedSite()
    const xml = await (await site.get('/sitemap.xml')).text()
    const before = rateOf(await site.get('/posts')).remaining!
    for (const each of [path, proxied, `${path}?page=1`, `${proxied}?page=1`]) {
      const response = await ask(each, { key: 'nonsense', headers: { 'X-Request-Id': 'mine' } })
      expect(response.status, each).toBe(200)
      expect(await response.text(), each).toBe(xml)
      expect(response.headers.get('Content-Type')).toBe('application/xml; charset=utf-8')
      expect(response.headers.get('Cache-Control')).toBe(CACHED)
      expect(response.headers.get('Cache-Tag')).toBe(`sitemap-${site.id}`)
      expect(response.headers.get('ETag')).toMatch(/^W\/"/)
      // The host is part of the URLs in an index.
      expect(response.headers.get('Vary')).toBe(
        each.includes('proxied') ? 'Accept-Encoding' : 'Host, Accept-Encoding',
      )
      expect(response.headers.get('X-Request-Id')).toBeNull()
      expect(rateOf(response)).toEqual(UNCOUNTED)
    }
    expect(rateOf(await site.get('/posts?page=2')).remaining).toBe(before - 1)
  })
})

describe('304', () => {
  it('has the headers that renew a cached answer, until the next write', async () => {
    const { site, path } = await publishedSite()
    const etag = (await ask(path)).headers.get('ETag')!
    const response = await ask(path, { headers: { 'If-None-Match': etag } })
    expect(response.status).toBe(304)
    expect(response.headers.get('ETag')).toBe(etag)
    expect(response.headers.get('Cache-Control')).toBe(CACHED)
    expect(response.headers.get('Cache-Tag')).toBe(`sitemap-${site.id}`)
    await site.put('b', { status: 'published' })
    const after = await ask(path, { headers: { 'If-None-Match': etag } })
    expect([after.status, (await after.text()).includes('/blog/b<')]).toEqual([200, true])
  })
})

describe('404', () => {
  const isGone = async (response: Response) => {
    expect(await errorOf(response, 404)).toBe('Not found')
    // Caches keep it for a minute at the paths of ids.
    expect(response.headers.get('Cache-Control')).toMatch(
      /^(no-store|public, max-age=60, stale-if-error=60)$/,
    )
    expect(response.headers.get('ETag')).toBeNull()
    return response
  }

  it('is the answer in every isolate from the next request after it is renewed or stopped', async () => {
    const { site, path } = await publishedSite()
    expect((await ask(path)).status).toBe(200)
    expect((await askElsewhere(path)).status).toBe(200)
    const renewed = pathOf((await site.manage('POST', '/sitemap/renewals')).url)
    for (const each of [ask, askElsewhere]) {
      await isGone(await each(path))
      expect((await each(renewed)).status).toBe(200)
    }
    await site.manage('DELETE', '/sitemap')
    for (const each of [ask, askElsewhere]) await isGone(await each(renewed))
    const again = await publish(site)
    expect([path, renewed]).not.toContain(again.path)
    expect((await ask(again.path)).status).toBe(200)
    await isGone(await ask(renewed))
  })

  it('is the answer for a file that does not exist', async () => {
    const { path } = await publishedSite()
    await isGone(await ask(`${path}?page=2`))
    await isGone(await ask(path.replace('sitemap.xml', 'sitemap2.xml')))
    await isGone(await ask('/sitemaps'))
  })

  it('for pages that do not exist costs one query, and none when a cache has it', async () => {
    const { site, path } = await publishedSite()
    await ask(path)
    const pages = async () => {
      for (let page = 2; page < 40; page++) await isGone(await call(`${path}?page=${page}`))
    }
    expect(await queriesOf(pages)).toBeLessThanOrEqual(1)
    const { headers } = await isGone(await ask(`${path}?page=2`))
    expect(headers.get('Cache-Control')).toMatch(/^public/)
    expect(headers.get('Cache-Tag')).toBe(`sitemap-${site.id}`)
    expect(headers.get('X-Request-Id')).toBeNull()
    await isGone(await call(`${path}?page=2`))
    expect(await callsOf(() => call(`${path}?page=2`))).toEqual({ status: 404, postgres: 0, redis: 0 })
  })

  it('for made-up ids costs a bounded number of queries, and locks nobody else out, nor an id that Redis knows', async () => {
    const [{ path }, other] = [await publishedSite(), await publishedSite()]
    await ask(path)
    const headers = { 'CF-Connecting-IP': crypto.randomUUID() }
    const statuses: number[] = []
    const queries = await queriesOf(async () => {
      for (let guesses = 0; guesses < 23; guesses++) {
        statuses.push((await ask(`/sitemaps/${generateToken('')}/sitemap.xml`, { headers })).status)
      }
    })
    expect(statuses).toEqual([...Array(20).fill(404), ...Array(3).fill(429)])
    expect(queries).toBeLessThanOrEqual(20)
    const refused = await ask(`/sitemaps/${generateToken('')}/sitemap.xml`, { headers })
    expect(await errorOf(refused, 429)).toBe('Too many failed attempts')
    expect(refused.headers.get('Cache-Control')).toBe('no-store')
    expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(0)
    expect((await ask(other.path)).status).toBe(200)
    expect((await ask(path, { headers })).status).toBe(200)
    expect((await ask(path, { headers }, { ...bindings })).status).toBe(200)
  })

  it('for a malformed id needs no query', async () => {
    const { path } = await publishedSite()
    const id = path.split('/')[2]!
    const other = id.startsWith('x') ? 'y' : 'x'
    for (const bad of [
      'x',
      `${other}${id.slice(1)}`,
      id.slice(1),
      `${id}0`,
      generateKey(),
      '%00',
      '%ff',
      "'",
    ]) {
      const malformed = () => ask(`/sitemaps/${bad}/sitemap.xml`)
      expect(await callsOf(malformed), bad).toEqual({ status: 404, postgres: 0, redis: 0 })
      await isGone(await malformed())
    }
  })

  it('for an unknown id costs one call to Redis and one to Postgres, and then none for 10 s', async () => {
    const path = `/sitemaps/${generateToken('')}/sitemap.xml`
    expect(await callsOf(() => ask(path))).toEqual({ status: 404, postgres: 1, redis: 1 })
    expect(await callsOf(() => ask(path))).toEqual({ status: 404, postgres: 0, redis: 0 })
    vi.useFakeTimers({ toFake: ['Date'] })
    vi.setSystemTime(Date.now() + 10_001)
    expect(await callsOf(() => ask(path))).toEqual({ status: 404, postgres: 1, redis: 1 })
  })
})

describe('429', () => {
  it('is not sent when many clients ask at once for an id that is not cached', async () => {
    const { path } = await publishedSite()
    const env = { ...bindings }
    const headers = { 'CF-Connecting-IP': crypto.randomUUID() }
    const responses = await Promise.all(Array.from({ length: 30 }, () => ask(path, { headers }, env)))
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]))
    const guess = `/sitemaps/${generateToken('')}/sitemap.xml`
    const guesses = await Promise.all(Array.from({ length: 30 }, () => ask(guess, { headers }, env)))
    expect(new Set(guesses.map(({ status }) => status))).toEqual(new Set([404]))
  })
})

describe('a request', () => {
  it('costs no more calls than one with a key: none to Postgres while nothing changes', async () => {
    const { site, path } = await publishedSite()
    const elsewhere = (below: string) => callIn({}, below, { key: site.key })
    for (const times of ['first', 'second']) {
      const keyed = await callsOf(() => elsewhere(`/api/v1${site.path}/sitemap.xml`))
      const published = await callsOf(() => elsewhere(path))
      // Work that the writes deferred may still be counted for the key.
      expect(published.status, times).toBe(200)
      expect(published.postgres, times).toBeLessThanOrEqual(keyed.postgres)
      expect(published.redis, times).toBeLessThanOrEqual(keyed.redis)
    }
    await (await ask(path)).text()
    expect(await callsOf(() => ask(path))).toEqual({ status: 200, postgres: 0, redis: 1 })
    await site.put('b', { status: 'published' })
    const keyed = await callsOf(async () => elsewhere(`/api/v1${site.path}/sitemap.xml`))
    expect((await callsOf(() => ask(path))).postgres).toBeLessThanOrEqual(keyed.postgres)
  })

  it('is answered without Redis, and its 500 without Postgres is not cached', async () => {
    const { path } = await publishedSite()
    const away = await askElsewhere(path, { UPSTASH_REDIS_REST_URL: 'http://127.0.0.1:1' })
    expect(away.status).toBe(200)
    const broken = await askElsewhere(path, BROKEN_DATABASE)
    expect(broken.status).toBe(500)
    expect(broken.headers.get('Cache-Control')).toBe('no-store')
    expect(broken.headers.get('Cache-Tag')).toBeNull()
  })

  it('with another method is 405, and with a bad page 400, and neither is cached', async () => {
    const { path } = await publishedSite()
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
      const response = await ask(path, { method })
      expect(await errorOf(response, 405)).toBe('Method not allowed')
      expect(response.headers.get('Allow')).toBe('GET, HEAD')
      expect(response.headers.get('Cache-Control')).toBe('no-store')
    }
    const bad = await ask(`${path}?page=0`)
    expect(await errorOf(bad, 400)).toBe('Invalid query parameter: page must be an integer of at least 1')
    expect(bad.headers.get('Cache-Control')).toBe('no-store')
  })
})

describe('the id', () => {
  it('is 190 random bits, and in no log line', async () => {
    const lines: string[] = []
    vi.spyOn(console, 'log').mockImplementation((line) => void lines.push(String(line)))
    const { site, path } = await publishedSite()
    const id = path.split('/')[2]!
    expect(id).toMatch(/^[0-9A-Za-z]{38}$/)
    lines.length = 0
    await ask(path)
    await site.manage('DELETE', '/sitemap')
    await ask(path)
    expect(lines.map((line) => JSON.parse(line)).filter(({ event }) => event === 'request')).toMatchObject([
      { route: '/sitemaps/:sitemapId/sitemap.xml', siteId: site.id, status: 200 },
      { method: 'DELETE', status: 204 },
      { status: 404 },
    ])
    expect(lines.join()).not.toContain(id)
  })
})

describe('a non-canonical request', () => {
  const free = { postgres: 0, redis: 0 }

  it('is answered from the cache, however it is spelt', async () => {
    const { path } = await publishedSite()
    for (const each of [path, path.replace('sitemap.xml', 'feed.xml')]) {
      const expected = await (await call(each)).text()
      const etag = (await call(each)).headers.get('ETag')!
      const id = path.split('/')[2]!
      const spelt = each.replace(id, `%${id.charCodeAt(0).toString(16)}${id.slice(1)}`)
      for (const other of [`${each}?x=${crypto.randomUUID()}`, `${each}?`, `${each}?x&y=2`, spelt]) {
        const asked = async () => {
          const response = await call(other)
          expect(await response.text(), other).toBe(expected)
          return response
        }
        expect(await callsOf(asked), other).toEqual({ status: 200, ...free })
      }
      const headers = {
        Range: 'bytes=0-9',
        'Accept-Encoding': 'x',
        'If-None-Match': '"x"',
        Authorization: 'Bearer x',
        'Cache-Control': 'no-cache',
      }
      for (const [name, value] of Object.entries(headers)) {
        const asked = () => call(`${spelt}?x`, { headers: { [name]: value } })
        expect(await callsOf(asked), name).toMatchObject(free)
      }
      const known = await call(`${each}?x=${crypto.randomUUID()}`, { headers: { 'If-None-Match': etag } })
      const sent = [known.status, known.headers.get('ETag'), known.headers.get('Cache-Control')]
      expect(sent).toEqual([304, etag, CACHED])
    }
  })

  it('fills the cache by HEAD and by If-None-Match, too', async () => {
    const { path } = await publishedSite()
    const head = await call(path, { method: 'HEAD' })
    expect([head.status, await head.text(), head.headers.get('Cache-Control')]).toEqual([200, '', CACHED])
    for (const query of ['', '?x', '?y=1'])
      expect(await callsOf(() => call(path + query, { method: 'HEAD' }))).toEqual({ status: 200, ...free })
    const etag = head.headers.get('ETag')!
    const feed = path.replace('sitemap.xml', 'feed.xml')
    const tag = (await ask(feed)).headers.get('ETag')!
    expect(tag).not.toBe(etag)
    const headers = { 'If-None-Match': tag }
    expect((await call(feed, { headers })).status).toBe(304)
    expect(await callsOf(() => call(`${feed}?x`, { headers }))).toEqual({ status: 304, ...free })
  })

  it('with a page number makes no call when the page is cached, missing or invalid', async () => {
    const { path } = await publishedSite()
    await call(path)
    for (const page of ['2', '0000000000000002', '9007199254740991'])
      expect(await callsOf(() => call(`${path}?page=${page}`)), page).toEqual({ status: 404, ...free })
    expect((await call(`${path}?page=1`)).status).toBe(200)
    for (const same of ['page=01', 'page=1&x', 'x=2&page=1', 'page=%31'])
      expect(await callsOf(() => call(`${path}?${same}`)), same).toEqual({ status: 200, ...free })
    for (const bad of ['page=1&page=1', 'page=', 'page=-1', 'page=1.0', 'page=%00'])
      expect(await callsOf(() => call(`${path}?${bad}`)), bad).toEqual({ status: 400, ...free })
  })

  it('at another path or with another method makes no call', async () => {
    const { path } = await publishedSite()
    for (const other of [
      `${path}/`,
      path.replace('sitemap.xml', 'SITEMAP.XML'),
      path.toUpperCase(),
      `/${path}`,
    ])
      expect(await callsOf(() => call(`${other}?x`)), other).toEqual({ status: 404, ...free })
    expect(await callsOf(() => call(path, { method: 'POST' }))).toEqual({ status: 405, ...free })
  })
})

describe('the cache in front of the Worker', () => {
  it('answers with the sitemap, without a call, until a write purges it', async () => {
    const { site, path } = await publishedSite()
    const first = await (await call(path)).text()
    const answered = await callsOf(() => call(path))
    expect(answered).toEqual({ status: 200, postgres: 0, redis: 0 })
    await site.put('b', { status: 'published' })
    expect(await (await call(path)).text()).toBe(first)
    // A message of an earlier test may take the turn, and purge a little later.
    await vi.waitFor(async () => {
      await purgeOfTheQueue()
      expect(await (await call(path)).text()).toContain('/blog/b<')
    }, IN_TIME)
  })

  const endings: [string, (site: TestSite) => Promise<unknown>][] = [
    ['stopped', (site) => site.manage('DELETE', '/sitemap')],
    ['renewed', (site) => site.manage('POST', '/sitemap/renewals')],
    ['gone with its site', (site) => site.manage('DELETE', '?confirm=Test')],
  ]
  it.each(endings)('answers 404 from the next request on when the sitemap is %s', async (_, end) => {
    const { site, path } = await publishedSite()
    for (const each of [path, `${path}?page=1`]) expect((await call(each)).status).toBe(200)
    expect(await callsOf(() => call(path))).toEqual({ status: 200, postgres: 0, redis: 0 })
    await end(site)
    for (const each of [path, `${path}?page=1`]) expect((await call(each)).status).toBe(404)
  })

  it('is purged by the queue and the sweep if it refuses a purge, and the deletion succeeds', async () => {
    const { site } = await publishedSite()
    const lines: Record<string, unknown>[] = []
    vi.spyOn(console, 'log').mockImplementation((line) => void lines.push(JSON.parse(line)))
    const purgeCache = () => Promise.reject(new Error('five a minute'))
    await deleteSite(testContext({ purgeCache }), site.id, 'Test')
    expect(lines).toContainEqual(expect.objectContaining({ event: 'purge.failed', siteId: site.id }))
    expect((await site.get('/posts')).status).toBe(401)
    expect(await patientRedis().zscore(purgesKey(testContext()), site.id)).not.toBeNull()
  })
})
