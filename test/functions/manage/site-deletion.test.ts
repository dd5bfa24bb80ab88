import { describe, expect, vi } from 'vitest'
import { createContext } from '../../../functions/http/context.ts'
import { createKey } from '../../../src/access/keys.ts'
import { publishSitemap } from '../../../src/content/sitemap/publication.ts'
import { markSite } from '../../../src/freshness/marks.ts'
import { purgeSitemaps, purgesKey } from '../../../src/freshness/purges.ts'
import { versionKey } from '../../../src/freshness/site-versions.ts'
import { sweepAll } from '../../../src/jobs.ts'
import { deleteSite } from '../../../src/sites/deletion.ts'
import { getSiteScope } from '../../../src/sites/sites.ts'
import { ADMIN } from '../../support/actor.ts'
import { outOfTime } from '../../support/clock.ts'
import { putGuide } from '../../support/content.ts'
import { bindings, lossyQueue, NO_EXECUTION, patientRedis, testContext } from '../../support/context.ts'
import { A_PART, largeSite, remains } from '../../support/deletion.ts'
import { hand, handOver, lostEvent, noteSwept, runCron, runFullSweep } from '../../support/outbox.ts'
import { ownSince } from '../../support/own-calls.ts'
import {
  call,
  errorOf,
  it,
  makeSite,
  manage,
  operatorToken,
  type Page,
  type TestSite,
  tryManage,
} from '../../support/site.ts'
import { runSql } from '../../support/sql.ts'
import { eventually, received, release, setWebhook } from '../../support/webhook.ts'
import { BROKEN_DATABASE, isolate } from '../../support/world.ts'

const AWAY = 'http://127.0.0.1:1'

const NOT_FOUND = { status: 404, body: { error: 'Site not found' } }
const remove = (site: TestSite, name = 'Test') =>
  tryManage('DELETE', `${site.path}?confirm=${encodeURIComponent(name)}`)

async function siteWithEverything() {
  const site = await makeSite({ trainingOptIn: true })
  await setWebhook(site, 'ok')
  await site.put('a', { status: 'published', language: 'en' })
  await site.put('de', { sourceSlug: 'a', language: 'de', trustScore: 91 })
  await site.manage('PUT', '/posts/de/readiness')
  await putGuide(site, 'a')
  await putGuide(site, 'b')
  await site.manage('DELETE', '/guides/b')
  await site.manage('POST', '/training-rows', { rows: [{ prompt: 'P', completion: 'C', postSlug: 'a' }] })
  await site.manage('PUT', '/sitemap')
  await runSql('insert into daily_usage (site_id, day, requests) values ($1, current_date, 1)', [site.id])
  return site
}

/** Deletes the site just before a statement that contains this text. */
async function vanishBefore(site: TestSite, statement: string) {
  const { fetch } = globalThis
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    const { query = '', queries = [] } = JSON.parse(String(init?.body || '{}'))
    if (JSON.stringify([query, queries]).includes(JSON.stringify(statement).slice(1, -1))) {
      vi.restoreAllMocks()
      expect((await remove(site)).status).toBe(204)
    }
    // A deletion on a busy machine may take longer than a write waits.
    return fetch(input, { ...init, signal: null })
  })
}

/** Log lines except that of each request. */
async function loggedBy(work: () => Promise<unknown>): Promise<string[]> {
  const events: string[] = []
  const isOwn = ownSince()
  const spy = vi.spyOn(console, 'log').mockImplementation((line) => {
    const { event } = JSON.parse(line) as { event?: string }
    if (isOwn() && event && event !== 'request') events.push(event)
  })
  await work()
  spy.mockRestore()
  return events
}

describe('a site', () => {
  it('is not deleted unless its name is given exactly', async () => {
    const site = await makeSite({ name: 'My Blög' })
    for (const query of [
      '',
      '?confirm=',
      '?confirm=my%20bl%C3%B6g',
      '?confirm=My%20Bl%C3%B6g%20',
      '?name=x',
    ]) {
      expect(await tryManage('DELETE', site.path + query), query).toEqual({
        status: 400,
        body: { error: "Invalid query parameter: confirm must be the site's name" },
      })
    }
    expect(await tryManage('DELETE', `${site.path}?confirm=a&confirm=b`)).toMatchObject({ status: 400 })
    expect((await site.get('/posts')).status).toBe(200)
    expect((await remove(site, 'My Blög')).status).toBe(204)
  })

  it('is deleted with all its rows, and without any of another site', async () => {
    const [site, other] = [await siteWithEverything(), await siteWithEverything()]
    const tables = await remains(other.id)
    expect(tables.length).toBeGreaterThan(9)
    expect(await remove(site)).toEqual({ status: 204, body: null })
    expect(await remains(site.id)).toEqual([])
    expect(await remains(other.id)).toEqual(tables)
    expect(await other.json<Page>('/posts')).toMatchObject({ total: 2 })
    expect((await manage('GET', '/sites?limit=500')).items.map(({ id }) => id)).not.toContain(site.id)
    for (const below of ['', '/keys', '/training-rows'])
      expect(await site.tryManage('GET', below)).toEqual(NOT_FOUND)
    expect(await site.tryManage('PATCH', '', { plan: 'scale' })).toEqual(NOT_FOUND)
    expect(await remove(site)).toEqual(NOT_FOUND)
    expect(await tryManage('DELETE', `/sites/${crypto.randomUUID()}`)).toEqual(NOT_FOUND)
  })
})

describe('the keys of a deleted site', () => {
  const BELOW = ['/posts', '/posts/a', '/guides/a', '/sitemap.xml', '/changes', '/training/export']

  it('are refused at once, also by an isolate that has cached them and every answer', async () => {
    const site = await siteWithEverything()
    const [warm, cold] = [isolate(), isolate()]
    for (const below of [...BELOW, ...BELOW]) expect(await warm.read(site, below), below).toBe(200)
    expect((await remove(site)).status).toBe(204)
    for (const { read } of [warm, cold]) {
      for (const below of [...BELOW, '/posts?page=0']) expect(await read(site, below), below).toBe(401)
    }
    const refused = await site.get('/changes')
    expect(await errorOf(refused, 401)).toBe('Missing or invalid API key')
    expect((await call(`/api/v1${site.path}/sitemap.xml?token=${site.key}`)).status).toBe(401)
    expect((await call('/api/v1/webhooks/test', { method: 'POST', key: site.key })).status).toBe(401)
  })

  it('are refused from the first step on, whatever happens later or is written meanwhile', async () => {
    const site = await siteWithEverything()
    const scope = await getSiteScope(testContext(), site.id)
    const warm = isolate()
    expect(await warm.read(site, '/posts')).toBe(200)
    const ctx = testContext()
    let calls = 0
    const batch = (...statements: Parameters<typeof ctx.db.batch>) =>
      ++calls === 1 ? ctx.db.batch(...statements) : Promise.reject(new Error('connection lost'))
    const failing = { ...ctx, db: Object.assign(Object.create(ctx.db), { batch }) }
    await expect(deleteSite(failing, site.id, 'Test')).rejects.toThrow('connection lost')

    const { key } = await createKey(ctx, scope, { name: 'made by a request that was under way' })
    const sitemapId = await publishSitemap(ctx, scope)
    expect(await remains(site.id)).toContain('posts')
    for (const { read } of [warm, isolate()]) {
      expect(await read(site, '/posts')).toBe(401)
      expect(await read({ ...site, key }, '/posts')).toBe(401)
    }
    expect((await call(`/sitemaps/${sitemapId}/sitemap.xml`)).status).toBe(404)
    const closed = { status: 404, body: { error: 'Site is being deleted' } }
    expect(await site.tryManage('GET', '/keys')).toEqual(closed)
    expect(await site.tryManage('PUT', '/posts/b', { title: 'T', contentHtml: 'x' })).toEqual(closed)
    expect(await site.tryManage('PATCH', '', { name: 'Other' })).toEqual(NOT_FOUND)
    expect(await warm.read({ ...site, key }, '/posts')).toBe(401)

    await runSql("update sites set deletion_started_at = now() - interval '1 minute' where id = $1", [
      site.id,
    ])
    await runFullSweep()
    await expect.poll(() => remains(site.id)).toEqual([])
    expect(await warm.read({ ...site, key }, '/posts')).toBe(401)
  })
})

describe('a site that is too large for one request', () => {
  const logOf = async (site: TestSite) =>
    (await manage('GET', `${site.path}/audit-log?action=site`)).items.map(({ action, channel }) => [
      action,
      channel,
    ])

  it('is 202, refuses all requests, and is deleted by the queue in the name of the requester', async () => {
    const site = await largeSite()
    expect(await outOfTime(A_PART, () => remove(site))).toEqual({ status: 202, body: { state: 'deleting' } })
    expect((await site.get('/posts')).status).toBe(401)
    // Its own row is deleted last.
    await expect
      .poll(() => logOf(site))
      .toEqual([
        ['site.deleted', 'management'],
        ['site.deletion_started', 'management'],
        ['site.created', 'management'],
      ])
    expect(await remains(site.id)).toEqual([])
    expect(await remove(site)).toEqual(NOT_FOUND)
  })

  it('is deleted for some seconds in each message, which sends the next one until nothing is left', async () => {
    const { site, env, sent } = await stopped()
    const deletion = { kind: 'deletion', siteId: site.id }
    await outOfTime(A_PART, () => hand([deletion], env))
    expect(sent.splice(0)).toEqual([deletion])
    expect(await remains(site.id)).toContain('webhook_events')
    // A message that arrives again while another one is at work does nothing.
    const lease = `${env.REDIS_PREFIX}:deletion:${site.id}`
    await patientRedis().set(lease, 'of another', { ex: 300 })
    await hand([deletion, deletion], env)
    expect(sent).toEqual([])
    expect(await remains(site.id)).toContain('webhook_events')
    await patientRedis().del(lease)
    await hand([deletion, deletion, deletion], env)
    expect([sent, await remains(site.id)]).toEqual([[], []])
    expect((await hand([deletion], env)).explicitAcks).toEqual(['0'])
  })

  it('is deleted by a retry when a message fails, also without Redis', async () => {
    const { site, env } = await stopped()
    const failing = await hand([{ kind: 'deletion', siteId: site.id }], { ...env, ...BROKEN_DATABASE })
    expect(failing).toMatchObject({ explicitAcks: [], retryMessages: [{}] })
    await hand([{ kind: 'deletion', siteId: site.id }], { ...env, UPSTASH_REDIS_REST_URL: AWAY })
    expect(await remains(site.id)).toEqual([])
  })

  it('is deleted by the minute’s sweep when a message was lost, and keeps its mark until then', async () => {
    const { site, ctx, env, sent } = await stopped()
    vi.useFakeTimers({ toFake: ['Date'] })
    const sweepLater = async () => {
      vi.setSystemTime(Date.now() + 120_000)
      await patientRedis().del(`${purgesKey(ctx)}:turn`)
      await runCron(env)
    }
    for (let times = 0; times < 2; times++) {
      await sweepLater()
      expect(sent.splice(0)).toEqual([{ kind: 'deletion', siteId: site.id }])
    }
    await hand([{ kind: 'deletion', siteId: site.id }], env)
    for (let times = 0; times < 3; times++) await sweepLater()
    expect([sent, await remains(site.id)]).toEqual([[], []])
    expect(await patientRedis().zscore(`${ctx.config.REDIS_PREFIX}:waiting`, site.id)).toBeNull()
  })

  /** A site with an interrupted deletion, and a queue that records its messages and delivers none. */
  async function stopped() {
    const site = await largeSite()
    // The other tests' consumers skip it.
    await patientRedis().set(`${bindings.REDIS_PREFIX}:deletion:${site.id}`, 'of a test', { ex: 300 })
    const sent: unknown[] = []
    const sendBatch = async (messages: { body: unknown }[]) =>
      void sent.push(...messages.map(({ body }) => body))
    const queue = { ...lossyQueue, sendBatch } as unknown as typeof bindings.WEBHOOK_EVENTS
    const env = {
      ...bindings,
      REDIS_PREFIX: `${bindings.REDIS_PREFIX}:${crypto.randomUUID()}`,
      WEBHOOK_EVENTS: queue,
    }
    const ctx = createContext(env, NO_EXECUTION, { writes: true })
    await noteSwept(ctx)
    await markSite(ctx, site)
    await runSql("update sites set deletion_started_at = now() - interval '1 minute' where id = $1", [
      site.id,
    ])
    return { site, ctx, env, sent }
  }
})

describe('the published sitemap of a deleted site', () => {
  it('is 404 at once, and is purged from the caches', async () => {
    const site = await siteWithEverything()
    const { url } = await site.manage('GET', '/sitemap')
    const { pathname } = new URL(url)
    const warm = isolate()
    for (let i = 0; i < 2; i++) expect((await warm.ask(pathname, '')).status).toBe(200)
    const ctx = testContext()
    // Otherwise a sweep of another test could purge it first.
    await patientRedis().set(`${purgesKey(ctx)}:turn`, 'of a test', { ex: 300 })
    expect((await remove(site)).status).toBe(204)
    for (const { ask } of [warm, isolate()]) expect((await ask(pathname, '')).status).toBe(404)
    expect(await ctx.redis.zscore(purgesKey(ctx), site.id)).not.toBeNull()
    const purged: string[] = []
    // A sweep of another test may take the turn, and 100 other sites may come first.
    const purge = async () => {
      await patientRedis().del(`${purgesKey(ctx)}:turn`)
      await purgeSitemaps({ ...ctx, purgeCache: async (tags) => void purged.push(...tags) })
      return purged
    }
    await expect.poll(purge).toContain(`sitemap-${site.id}`)
  })
})

describe('while Redis is down', () => {
  const sent: unknown[] = []
  const recording = { ...bindings.WEBHOOK_EVENTS, send: async (message: unknown) => void sent.push(message) }
  const failing = { send: () => Promise.reject(new Error('away')) }
  const removeIn = (env: object, site: TestSite) =>
    isolate({ UPSTASH_REDIS_REST_URL: AWAY, ...env }).ask(
      `/manage/v1${site.path}?confirm=Test`,
      operatorToken,
      {
        method: 'DELETE',
      },
    )

  it('a site is deleted with a warning to the requester, and its keys are refused once the queue has updated Redis', async () => {
    const site = await siteWithEverything()
    const warm = isolate()
    expect(await warm.read(site, '/posts')).toBe(200)
    const response = await removeIn({ WEBHOOK_EVENTS: recording }, site)
    expect([response.status, response.headers.get('X-Effective-Within')]).toEqual([204, '60'])
    expect(await remains(site.id)).toEqual([])
    expect(sent).toContainEqual({ kind: 'store', siteId: site.id })
    expect(await loggedBy(() => hand(sent.splice(0)))).toEqual([])
    for (const { read } of [warm, isolate()]) expect(await read(site, '/posts')).toBe(401)
    const ctx = testContext()
    expect(await patientRedis().get(versionKey(ctx, site.id))).toBeNull()
    expect(await ctx.redis.zscore(purgesKey(ctx), site.id)).not.toBeNull()
  })

  it('and without the queue, the requester gets the maximum delay', async ({ site }) => {
    const warm = isolate()
    expect(await warm.read(site, '/posts')).toBe(200)
    const response = await removeIn({ WEBHOOK_EVENTS: failing }, site)
    expect([response.status, response.headers.get('X-Effective-Within')]).toEqual([204, '3915'])
    vi.useFakeTimers({ toFake: ['Date'] })
    vi.setSystemTime(Date.now() + 3_915_000)
    expect(await warm.read(site, '/posts')).toBe(401)
  })
})

describe('writes at the same time', () => {
  it('succeed or are 404, and leave nothing behind', async () => {
    const site = await makeSite()
    await setWebhook(site, 'ok')
    const body = { title: 'T', contentHtml: 'x', trustScore: 91 }
    const writes = Array.from({ length: 4 }, (_, i) => [
      site.tryManage('PUT', `/posts/${i}`, body),
      site.tryManage('PUT', `/guides/${i}`, { title: 'T', contentHtml: 'x' }),
      site.tryManage('PUT', `/posts/${i}/readiness`),
      site.tryManage('POST', '/keys', { name: 'new' }),
      site.tryManage('POST', '/training-rows', { rows: [{ prompt: 'P', completion: 'C' }] }),
      site.tryManage('PATCH', '', { dailyQuota: i + 1 }),
    ]).flat()
    const [removed, again, ...answers] = await Promise.all([remove(site), remove(site), ...writes])
    expect([removed.status, again.status].every((status) => status === 204 || status === 404)).toBe(true)
    expect([removed.status, again.status]).toContain(204)
    expect([...new Set(answers.map(({ status }) => status))].filter((status) => status >= 500)).toEqual([])
    expect(await remains(site.id)).toEqual([])
  })

  const rows = [{ prompt: 'P', completion: 'C' }]
  const put = { title: 'T', contentHtml: 'x' }
  it.each([
    ['POST', '/keys', { name: 'late' }, 'insert into "api_keys"'],
    ['PUT', '/posts/a', put, 'insert into "posts"'],
    ['POST', '/training-rows', { rows }, 'insert into "training_rows"'],
    ['PATCH', '', { plan: 'scale' }, 'update "sites"'],
  ] as const)(
    '%s %s is 404 if the site is deleted during the request',
    async (method, below, body, statement) => {
      const site = await makeSite()
      await vanishBefore(site, statement)
      const { status } = await site.tryManage(method, below, body)
      expect(status).toBe(404)
      expect(await remains(site.id)).toEqual([])
      expect((await site.get('/posts')).status).toBe(401)
    },
  )
})

describe('webhooks of a deleted site', () => {
  it('that are being sent arrive, and their outcome is dropped without a failure', async () => {
    const { site, eventId } = await lostEvent('held')
    const { handedBack, posts } = await handOver([{ kind: 'event', eventId }])
    await eventually(async () => (await received(site))[0])
    const logged = await loggedBy(async () => {
      expect((await remove(site)).status).toBe(204)
      await release(site)
      await posts
    })
    expect(handedBack).toEqual([])
    expect(logged).toEqual(['webhook.attempt'])
    expect(await remains(site.id)).toEqual([])
  })

  it('that are pending are not sent, and their messages are acknowledged', async () => {
    const { site, eventId } = await lostEvent('ok')
    expect((await remove(site)).status).toBe(204)
    const logged = await loggedBy(async () => {
      expect(await hand([{ kind: 'event', eventId }])).toMatchObject({
        explicitAcks: ['0'],
        retryMessages: [],
      })
    })
    expect(logged).toEqual([])
    expect(await received(site)).toEqual([])
  })
})

describe('Redis, after a site was deleted', () => {
  it('has only keys of it that expire once the cron has run, which logs no errors', async () => {
    const site = await siteWithEverything()
    const world = isolate({ REDIS_PREFIX: `${bindings.REDIS_PREFIX}:${crypto.randomUUID()}` })
    const ctx = { ...createContext(world.env, NO_EXECUTION, { writes: true }), actor: ADMIN }
    for (const below of ['/posts', '/posts/a', '/sitemap.xml'])
      expect(await world.read(site, below)).toBe(200)
    await world.ask('/api/v1/webhooks/test', site.key, { method: 'POST' })
    await sweepAll(ctx, new Date())
    expect(await world.read(site, '/posts')).toBe(200)
    await deleteSite(ctx, site.id, 'Test')
    expect(await world.read(site, '/posts')).toBe(401)
    // A writer that was admitted before, and fails.
    await ctx.redis
      .pipeline()
      .zadd(`${ctx.config.REDIS_PREFIX}:waiting`, { score: Date.now(), member: site.id })
      .set(versionKey(ctx, site.id), '~failed')
      .exec()

    vi.useFakeTimers({ toFake: ['Date'] })
    const logged = await loggedBy(async () => {
      // Until the deletion ends, which runs at the same time on a busy machine.
      for (let run = 1, open = true; run <= 3 || (open && run <= 100); run++) {
        if (run > 3) await scheduler.wait(50)
        vi.setSystemTime(Date.now() + 120_000)
        await patientRedis().del(`${purgesKey(ctx)}:turn`)
        await runCron(world.env)
        open = (await patientRedis().zscore(`${ctx.config.REDIS_PREFIX}:waiting`, site.id)) !== null
      }
      expect(Object.values(await sweepAll(ctx, new Date()))).not.toContain(null)
    })
    // The sweep covers all sites, and other tests break their secrets.
    const ofOthers = 'webhook.secret_undecryptable'
    expect([...new Set(logged)].filter((name) => name !== ofOthers)).toEqual(['scheduled'])

    const keyOf = (name: string) => `${ctx.config.REDIS_PREFIX}:${name}`
    for (const set of ['waiting', 'purges', 'key-uses']) {
      const marked = await patientRedis().zrange<string[]>(keyOf(set), 0, -1)
      expect([marked.includes(site.id), marked.includes(site.keyId)], set).toEqual([false, false])
    }
    const lasting: string[] = []
    for (let cursor = '0', first = true; first || cursor !== '0'; first = false) {
      const [next, keys] = await ctx.redis.scan(cursor, { match: keyOf(`*${site.id}*`), count: 1_000 })
      for (const key of keys) if ((await patientRedis().ttl(key)) < 0) lasting.push(key)
      cursor = String(next)
    }
    expect(lasting).toEqual([])
  })
})
