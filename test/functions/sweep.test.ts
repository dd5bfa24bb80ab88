import { sql } from 'drizzle-orm'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createContext } from '../../functions/http/context.ts'
import { counterKeys } from '../../src/access/counters.ts'
import type { Context } from '../../src/context.ts'
import { prune } from '../../src/db/batches.ts'
import { consoleSessions } from '../../src/db/schema.ts'
import { addMarks, markDue, markSite } from '../../src/freshness/marks.ts'
import { selectVersions, versionKey, withSeqlock } from '../../src/freshness/site-versions.ts'
import { currentVersions } from '../../src/freshness/versions.ts'
import { sweep, sweepAll } from '../../src/jobs.ts'
import { createSite } from '../../src/sites/sites.ts'
import { sendTestEvent } from '../../src/webhooks/test-event.ts'
import { ADMIN } from '../support/actor.ts'
import { makeKey } from '../support/content.ts'
import { bindings, NO_EXECUTION, patientRedis, testContext } from '../support/context.ts'
import { exchangesOf } from '../support/exchanges.ts'
import { hand, lostEvent, noteSwept, rewind, runCron } from '../support/outbox.ts'
import { interceptFetch } from '../support/own-calls.ts'
import { call, makeSite, type TestSite, tryManage } from '../support/site.ts'
import { runSql } from '../support/sql.ts'
import { finished, received, setWebhook } from '../support/webhook.ts'
import { BROKEN_DATABASE, callIn } from '../support/world.ts'

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const AWAY = { UPSTASH_REDIS_REST_URL: 'http://127.0.0.1:1' }

type World = { env: typeof bindings; ctx: Context }

/** The same database with own Redis keys, in which everything was just swept. */
async function sweptWorld(): Promise<World> {
  const env = { ...bindings, REDIS_PREFIX: `${bindings.REDIS_PREFIX}:${crypto.randomUUID()}` }
  const ctx = { ...createContext(env, NO_EXECUTION, { writes: true }), actor: ADMIN }
  const world = { env, ctx }
  await noteSwept(ctx)
  return world
}

const keyOf = ({ ctx }: World, name: string) => `${ctx.config.REDIS_PREFIX}:${name}`
const isMarked = async (world: World, site: { id: string }) =>
  (await world.ctx.redis.zscore(keyOf(world, 'waiting'), site.id)) !== null
const storedIn = async ({ ctx }: World, site: { id: string }) =>
  currentVersions(await patientRedis().get(versionKey(ctx, site.id)))
const versionsOf = async ({ ctx }: World, site: { id: string }) => {
  const [{ sitemapId: _, ...versions } = {}] = await selectVersions(ctx, site.id)
  return versions
}
const readIn = ({ env }: World, site: TestSite, headers: Record<string, string> = {}) =>
  callIn(env, `/api/v1${site.path}/posts`, { key: site.key, headers })
/** The cron of the first minute in which a mark of now may be removed. */
const runLaterCron = ({ env }: World) => runCron(env, Date.now() + MINUTE_MS + 1)

/** The statements sent to Postgres and the calls to Redis, which may be slowed down, while `work` runs. */
async function costOf(work: () => Promise<unknown>, { redisMs = 0 } = {}) {
  const cost = { statements: 0, redis: 0 }
  const spy = interceptFetch(async (fetch, input, init) => {
    const url = String(input)
    if (url === bindings.DATABASE_HTTP_ENDPOINT) {
      cost.statements += JSON.parse(String(init?.body)).queries?.length ?? 1
    }
    if (url.startsWith(String(bindings.UPSTASH_REDIS_REST_URL))) {
      cost.redis += 1
      if (redisMs > 0) await new Promise((resolve) => setTimeout(resolve, redisMs))
    }
    return fetch(input, init)
  })
  await work()
  spy.mockRestore()
  return cost
}

/** A writer that dies after its commit, before it updates Redis. */
async function dieWriting(world: World, site: TestSite) {
  await new Promise<void>((committed) => {
    withSeqlock(world.ctx, site.id, async () => {
      await runSql('update sites set name = $1 where id = $2', ['By a writer that died', site.id])
      committed()
      return new Promise(() => {})
    })
  })
}

afterEach(() => void vi.restoreAllMocks())

describe('a minute without pending work', () => {
  it('costs one call to Redis and no statement, also while clients poll', async () => {
    const world = await sweptWorld()
    const site = await makeSite()
    const etag = (await readIn(world, site)).headers.get('ETag')!
    await runLaterCron(world)
    const poll = () => readIn(world, site, { 'If-None-Match': etag })
    await poll()
    // Also while another one is due later.
    await markDue(world.ctx, [{ siteId: site.id, at: Date.now() + 2 * HOUR_MS }])
    expect(await costOf(() => runCron(world.env))).toEqual({ statements: 0, redis: 1 })
  })

  it('follows a minute after a write, once its site is settled', async () => {
    const world = await sweptWorld()
    const site = await makeSite()
    const manage = { key: String(bindings.OPERATOR_TOKEN), method: 'PUT' }
    const revoked = await callIn(world.env, `/manage/v1${site.path}/keys/${site.keyId}/revocation`, manage)
    expect(revoked.status).toBe(200)
    expect(await isMarked(world, site)).toBe(true)
    await runCron(world.env)
    expect(await isMarked(world, site)).toBe(true)
    await runLaterCron(world)
    expect(await isMarked(world, site)).toBe(false)
    expect(await costOf(() => runCron(world.env))).toEqual({ statements: 0, redis: 1 })
  })
})

describe('a client that polls', () => {
  it('costs no statement for 65 minutes', async () => {
    const site = await makeSite()
    await site.put('a', { status: 'published' })
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const headers = { 'If-None-Match': (await site.get('/posts')).headers.get('ETag')! }
    const pollAfter = (minutes: number) =>
      costOf(async () => {
        vi.setSystemTime(Date.now() + minutes * MINUTE_MS)
        expect((await site.get('/posts', { headers })).status).toBe(304)
      })
    for (let minute = 5; minute < 65; minute += 5)
      expect(await pollAfter(5), `${minute}`).toEqual({ statements: 0, redis: 1 })
    // The key is looked up in Redis first, and stored for other isolates afterwards.
    expect(await pollAfter(5)).toEqual({ statements: 1, redis: 3 })
  })
})

describe('a new site', () => {
  it('has its versions in Redis within the next minute', async () => {
    const world = await sweptWorld()
    const site = await createSite(world.ctx, { name: 'New', domain: 'new.example.com' })
    await runCron(world.env)
    expect(await storedIn(world, site)).toEqual(await versionsOf(world, site))
  })
})

describe('a writer that died', () => {
  it('has its site’s versions stored in the next minute', async () => {
    const world = await sweptWorld()
    const site = await makeSite()
    await dieWriting(world, site)
    expect(await storedIn(world, site)).toBeNull()
    await runCron(world.env)
    expect(await storedIn(world, site)).toEqual(await versionsOf(world, site))
    await runLaterCron(world)
    expect(await isMarked(world, site)).toBe(false)
  })

  it('has its site’s versions stored a minute after the sweep of all sites, if Redis has lost the mark', async () => {
    const world = await sweptWorld()
    const site = await makeSite()
    await patientRedis().del(keyOf(world, 'sweep'))
    await runCron(world.env)
    await runSql('update sites set training_opt_in = true where id = $1', [site.id])
    await runCron(world.env)
    expect(await storedIn(world, site)).toEqual(await versionsOf(world, site))
  })
})

describe('a sweep of all sites', () => {
  it('is repeated in the next minute if Redis loses its data before it ends', async () => {
    const world = await sweptWorld()
    const site = await makeSite()
    const kept = [versionKey(world.ctx, site.id), ...['sweep', 'waiting'].map((name) => keyOf(world, name))]
    const forget = () => patientRedis().del(...kept)
    await forget()
    const spy = interceptFetch(async (fetch, input, init) => {
      if (String(init?.body).includes('delete from \\"audit_log\\"')) await forget()
      return fetch(input, init)
    })
    await runCron(world.env)
    spy.mockRestore()
    expect(await storedIn(world, site)).toBeNull()
    await runCron(world.env)
    expect(await storedIn(world, site)).toEqual(await versionsOf(world, site))
  })
})

describe('a title set by SQL', () => {
  it('has its site’s versions stored a minute after the title was folded, also if that failed before', async () => {
    const world = await sweptWorld()
    const site = await makeSite()
    await site.put('a')
    await markSite(world.ctx, site)
    await runLaterCron(world)
    expect(await isMarked(world, site)).toBe(false)
    await runSql("update posts set title = 'Straße' where site_id = $1", [site.id])
    const failed = { foldTitles: { retryAt: Date.now(), pauseMs: MINUTE_MS } }
    await patientRedis().set(keyOf(world, 'sweep'), JSON.stringify({ sweptAt: Date.now(), failed }))
    await runCron(world.env)
    await runCron(world.env)
    expect(await storedIn(world, site)).toEqual(await versionsOf(world, site))
  })
})

describe('a mark', () => {
  it('that is set again during the sweep is kept', async () => {
    const world = await sweptWorld()
    const site = await makeSite()
    await markSite(world.ctx, site)
    const { fetch } = globalThis
    let marked = false
    vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
      // The sweep's last statement.
      if (!marked && String(init?.body).includes('select distinct site_id')) {
        marked = true
        await markSite(world.ctx, site)
      }
      return fetch(input, init)
    })
    await runLaterCron(world)
    expect(marked).toBe(true)
    expect(await isMarked(world, site)).toBe(true)
    await runLaterCron(world)
    expect(await isMarked(world, site)).toBe(false)
  })

  it('is kept while an event of the site is open, and is set by a test event', async () => {
    const world = await sweptWorld()
    const site = await makeSite()
    await setWebhook(site, 'ok')
    await sendTestEvent(world.ctx, site)
    expect(await isMarked(world, site)).toBe(true)
    await runSql("update webhook_events set state = 'sending', claimed_at = now() where site_id = $1", [
      site.id,
    ])
    await runLaterCron(world)
    expect(await isMarked(world, site)).toBe(true)
    await runSql("update webhook_events set state = 'delivered' where site_id = $1", [site.id])
    await runLaterCron(world)
    expect(await isMarked(world, site)).toBe(false)
  })

  it('of a site that does not exist is removed', async () => {
    const world = await sweptWorld()
    const nowhere = { id: crypto.randomUUID() }
    await markSite(world.ctx, nowhere)
    await runLaterCron(world)
    expect(await isMarked(world, nowhere)).toBe(false)
  })

  it('is kept when a job failed', async () => {
    const world = await sweptWorld()
    const site = await makeSite()
    await markSite(world.ctx, site)
    await runCron({ ...world.env, ...BROKEN_DATABASE }, Date.now() + MINUTE_MS + 1)
    expect(await isMarked(world, site)).toBe(true)
  })
})

describe('all sites are swept', () => {
  const changeByHand = (site: TestSite) =>
    runSql('update sites set name = $1 where id = $2', ['By hand', site.id])

  it('once Redis has lost its data', async () => {
    const world = await sweptWorld()
    const site = await makeSite()
    await changeByHand(site)
    await runCron(world.env)
    expect(await storedIn(world, site)).toBeNull()
    await patientRedis().del(keyOf(world, 'sweep'))
    await runCron(world.env)
    expect(await storedIn(world, site)).toEqual(await versionsOf(world, site))
  })

  /** A full hour. */
  const START = Math.ceil(Date.now() / HOUR_MS) * HOUR_MS
  /** The minutes after the start in which the cron runs the last job, and the first. */
  async function minutesOfSweeps(env: typeof bindings, minutes: number, failing?: RegExp) {
    const tried = { first: [] as number[], last: [] as number[] }
    for (let minute = 0; minute <= minutes; minute++) {
      const spy = interceptFetch((fetch, input, init) => {
        const text = String(init?.body)
        const note = (job: number[]) => job.at(-1) !== minute && job.push(minute)
        if (text.includes('from \\"sites\\" order by')) note(tried.first)
        if (text.includes('delete from \\"audit_log')) note(tried.last)
        return failing?.test(text) ? Promise.reject(new Error('connection lost')) : fetch(input, init)
      })
      await runCron(env, START + minute * MINUTE_MS)
      spy.mockRestore()
    }
    return tried
  }

  it('once an hour', async () => {
    const world = await sweptWorld()
    await patientRedis().del(keyOf(world, 'sweep'))
    expect(await minutesOfSweeps(world.env, 121)).toEqual({ first: [0, 60, 120], last: [0, 60, 120] })
  })

  it('without a failing job, which is retried on its own after longer and longer pauses', async () => {
    const world = await sweptWorld()
    await patientRedis().del(keyOf(world, 'sweep'))
    const failing = /delete from ."audit_log/
    expect(await minutesOfSweeps(world.env, 125, failing)).toEqual({
      first: [0, 60, 120],
      last: [0, 1, 3, 7, 15, 31, 60, 120],
    })
  })

  it('with a failed job, which runs once more when it succeeds', async () => {
    const world = await sweptWorld()
    await patientRedis().del(keyOf(world, 'sweep'))
    let failures = 0
    const failing = { test: (text: string) => text.includes('delete from \\"audit_log') && failures++ < 2 }
    const { first, last } = await minutesOfSweeps(world.env, 10, failing as RegExp)
    expect([first, last]).toEqual([[0], [0, 1, 3]])
  })

  it('after longer and longer pauses if the Worker dies during the sweep', async () => {
    const world = await sweptWorld()
    await patientRedis().del(keyOf(world, 'sweep'))
    const ctx = { ...world.ctx, redis: patientRedis() }
    const minutes: number[] = []
    for (let minute = 0; minute <= 10; minute++) {
      const asked = Promise.withResolvers<void>()
      const spy = interceptFetch((fetch, input, init) => {
        if (String(input) !== bindings.DATABASE_HTTP_ENDPOINT) return fetch(input, init)
        minutes.push(minute)
        asked.resolve()
        return new Promise(() => {})
      })
      await Promise.race([asked.promise, sweep(ctx, new Date(START + minute * MINUTE_MS))])
      spy.mockRestore()
    }
    expect(minutes).toEqual([0, 1, 3, 7])
  })

  it('only at the full hour while Redis does not answer', async () => {
    const world = await sweptWorld()
    const away = { ...world.env, ...AWAY }
    expect(await minutesOfSweeps(away, 61)).toEqual({ first: [0, 60], last: [0, 60] })
  })

  it('no earlier when a distant Redis takes a second to answer', async () => {
    const world = await sweptWorld()
    const site = await makeSite()
    await dieWriting(world, site)
    const cost = await costOf(() => runCron(world.env), { redisMs: 1_000 })
    expect(await storedIn(world, site)).toEqual(await versionsOf(world, site))
    expect(cost.statements).toBeLessThanOrEqual(10)
  })

  it('by POST /sweep, which returns what each job did', async () => {
    const site = await makeSite()
    await changeByHand(site)
    expect(await tryManage('POST', '/sweep')).toMatchObject({
      status: 200,
      body: { storeStaleVersions: expect.any(Number), pruneSessions: expect.any(Number) },
    })
    expect((await call('/manage/v1/sweep', { method: 'POST', key: site.key })).status).toBe(401)
  })
})

describe('the first cron after a day without one', () => {
  it('publishes what was due, sends the events that waited, and stores the versions', async () => {
    const world = await sweptWorld()
    const { site, eventId } = await lostEvent()
    await rewind(eventId, 'created_at', '1 day')
    await site.put('late', { status: 'draft' })
    await runSql(
      "update posts set publish_at = now() - interval '23 hours' where site_id = $1 and slug = 'late'",
      [site.id],
    )
    // Everything that it had in Redis has expired since.
    await patientRedis().del(keyOf(world, 'sweep'), keyOf(world, 'waiting'), keyOf(world, 'due'))
    await runCron(world.env)
    expect((await site.manage('GET', '/posts/late')).post).toMatchObject({ status: 'published' })
    expect(await finished(site)).toMatchObject({ eventId, status: 200 })
    await runLaterCron(world)
    expect(await storedIn(world, site)).toEqual(await versionsOf(world, site))
    expect(await received(site)).toHaveLength(1)
  })
})

describe('a writer without Redis', () => {
  type Sent = { body: unknown; options: unknown }

  function recordingQueue(sent: Sent[]): Context['queue'] {
    const send = async (body: unknown, options?: unknown) => void sent.push({ body, options })
    return { send, sendBatch: send } as unknown as Context['queue']
  }

  async function writeIn({ env, ctx }: World, site: TestSite, queue: Context['queue']) {
    const later: number[] = []
    const away = createContext({ ...env, ...AWAY }, NO_EXECUTION, { writes: true })
    await withSeqlock({ ...away, queue, takesEffectLater: (ms) => later.push(ms) }, site.id, async () => {
      const [versions] = await ctx.db.batch([selectVersions(ctx, site.id)])
      return { result: null, versions: versions[0] }
    })
    return later
  }

  it('leaves the site to the queue, whose consumer stores the versions and marks it', async () => {
    const world = await sweptWorld()
    const site = await makeSite()
    const sent: Sent[] = []
    expect(await writeIn(world, site, recordingQueue(sent))).toEqual([MINUTE_MS])
    expect(sent).toEqual([{ body: { kind: 'store', siteId: site.id }, options: { delaySeconds: 10 } }])
    expect(await storedIn(world, site)).toBeNull()
    expect((await hand([sent[0]!.body], world.env)).explicitAcks).toEqual(['0'])
    expect(await storedIn(world, site)).toEqual(await versionsOf(world, site))
    expect(await isMarked(world, site)).toBe(true)
  })

  it('has its message sent again, as often as needed, while the consumer finds no Redis either', async () => {
    const world = await sweptWorld()
    const site = await makeSite()
    const sent: Sent[] = []
    const env = { ...world.env, ...AWAY, WEBHOOK_EVENTS: recordingQueue(sent) } as unknown as typeof bindings
    expect((await hand([{ kind: 'store', siteId: site.id }], env)).explicitAcks).toEqual(['0'])
    expect(sent).toEqual([{ body: { kind: 'store', siteId: site.id }, options: { delaySeconds: 10 } }])
  })

  it('and without the queue reports that the change takes up to an hour', async () => {
    const world = await sweptWorld()
    const refusing = { send: () => Promise.reject(new Error('no queue')) } as unknown as Context['queue']
    const [ms] = await writeIn(world, await makeSite(), refusing)
    expect(ms).toBeGreaterThan(60 * MINUTE_MS)
  })

  it('and without a reply from Postgres still sends a message', async () => {
    const world = await sweptWorld()
    const site = await makeSite()
    const sent: Sent[] = []
    const away = createContext({ ...world.env, ...AWAY }, NO_EXECUTION, { writes: true })
    const writing = withSeqlock({ ...away, queue: recordingQueue(sent) }, site.id, () =>
      Promise.reject(new Error('no reply')),
    )
    await expect(writing).rejects.toThrow('no reply')
    expect(sent).toMatchObject([{ body: { kind: 'store', siteId: site.id } }])
  })
})

describe('usage', () => {
  const usageOf = async (site: TestSite) =>
    (await runSql('select day::text, requests from daily_usage where site_id = $1 order by day', [
      site.id,
    ])) as { day: string; requests: number }[]

  it('of the last seconds before midnight is kept, even without requests for an hour', async () => {
    const world = await sweptWorld()
    const site = await makeSite()
    const midnight = (Math.floor(Date.now() / DAY_MS) + 1) * DAY_MS
    const day = new Date(midnight - 1).toISOString().slice(0, 10)
    vi.useFakeTimers({ toFake: ['Date'], now: midnight - 1_800_000 })
    onTestFinished(() => void vi.useRealTimers())
    await readIn(world, site)
    await sweepAll(world.ctx, new Date())
    expect(await usageOf(site)).toEqual([{ day, requests: 1 }])
    vi.setSystemTime(midnight - 1_000)
    await readIn(world, site)
    await readIn(world, site)
    vi.setSystemTime(midnight + 3_599_000)
    await patientRedis().del(keyOf(world, 'sweep'))
    await runCron(world.env)
    expect(await usageOf(site)).toEqual([{ day, requests: 3 }])
  })

  it('is in counters that live for two days from each sweep, whatever the limiter sets', async () => {
    const world = await sweptWorld()
    const site = await makeSite()
    await readIn(world, site)
    const [counter] = counterKeys(world.ctx, site, new Date())
    const lives = async () => (await patientRedis().pttl(counter!)) / DAY_MS
    // Long enough for the next sweep, which runs within the hour.
    expect(await lives()).toBeGreaterThan(0.99)
    await sweepAll(world.ctx, new Date())
    expect(await lives()).toBeGreaterThan(1.99)
  })

  it('by key matches the total after Redis has lost its data during the day', async () => {
    const world = await sweptWorld()
    const site = await makeSite()
    const { id, key } = await makeKey(site)
    const readAs = (key: string) => callIn(world.env, `/api/v1${site.path}/posts`, { key })
    for (const each of [site.key, site.key, key]) await readAs(each)
    await sweepAll(world.ctx, new Date())
    const now = new Date()
    const ofKeys = keyOf(world, `key-requests:${now.toISOString().slice(0, 10)}:${site.id}`)
    await patientRedis().del(ofKeys, ...counterKeys(world.ctx, site, now))
    for (let times = 0; times < 2; times++) await readAs(key)
    await sweepAll(world.ctx, new Date())
    expect(await usageOf(site)).toMatchObject([{ requests: 2 }])
    expect(
      await runSql('select key_id, requests from daily_key_usage where site_id = $1', [site.id]),
    ).toEqual([{ key_id: id, requests: 2 }])
  })

  it('is rolled up for active sites only', async () => {
    const world = await sweptWorld()
    const [active, idle] = [await makeSite(), await makeSite()]
    for (let times = 0; times < 3; times++) await readIn(world, active)
    const members = await patientRedis().smembers(
      keyOf(world, `active:${new Date().toISOString().slice(0, 10)}`),
    )
    expect(members).toEqual([active.id])
    expect(await sweepAll(world.ctx, new Date())).toMatchObject({ rollUpUsage: 1 })
    expect(await sweepAll(world.ctx, new Date())).toMatchObject({ rollUpUsage: 0 })
    expect(await usageOf(idle)).toEqual([])
  })
})

describe('the last use of a key', () => {
  const lastUses = async (site: TestSite) =>
    (await site.manage('GET', '/keys')).items.map(({ id, lastUsedAt }) => [id, lastUsedAt])

  it('is recorded by the call that counts the request, and is in Postgres after the sweep', async () => {
    const world = await sweptWorld()
    const site = await makeSite()
    const other = await makeKey(site)
    const before = Date.now()
    await readIn(world, site)
    expect(await lastUses(site)).toEqual([
      [other.id, null],
      [site.keyId, null],
    ])
    expect(await sweepAll(world.ctx, new Date())).toMatchObject({ storeKeyUses: 1 })
    const [, [, usedAt]] = (await lastUses(site)) as [unknown, [string, string]]
    expect(Date.parse(usedAt)).toBeGreaterThanOrEqual(before)
    expect(Date.parse(usedAt)).toBeLessThanOrEqual(Date.now())
    expect(await sweepAll(world.ctx, new Date())).toMatchObject({ storeKeyUses: 0 })
  })

  it('is recorded once in half an hour by an isolate, and for its site once a day', async () => {
    const site = await makeSite()
    vi.useFakeTimers({ toFake: ['Date'], now: (Math.floor(Date.now() / DAY_MS) + 1) * DAY_MS })
    onTestFinished(() => void vi.useRealTimers())
    const notedAfter = async (minutes: number) => {
      vi.setSystemTime(Date.now() + minutes * MINUTE_MS)
      const exchanges = await exchangesOf(() => site.get('/posts'))
      return ['key-uses', 'active'].filter((name) => exchanges.some(({ sent }) => sent.includes(`:${name}`)))
    }
    await site.get('/posts')
    expect(await notedAfter(0)).toEqual([])
    expect(await notedAfter(29)).toEqual([])
    expect(await notedAfter(1)).toEqual(['key-uses'])
    expect(await notedAfter(24 * 60)).toEqual(['key-uses', 'active'])
  })

  it('is written in the next minute when a site is marked, and a refused request does not count', async () => {
    const world = await sweptWorld()
    const site = await makeSite()
    await runSql("update api_keys set revoked_at = now() - interval '1 second' where id = $1", [site.keyId])
    await patientRedis().zadd(keyOf(world, 'key-uses'), { score: Date.now(), member: site.keyId })
    const { id, key } = await makeKey(site)
    await callIn(world.env, `/api/v1${site.path}/posts`, { key })
    await markSite(world.ctx, site)
    await runCron(world.env)
    expect(await lastUses(site)).toEqual([
      [id, expect.any(String)],
      [site.keyId, null],
    ])
  })
})

describe('expired data', () => {
  it('is deleted in parts of at most 20,000 rows per statement, however much there is', async () => {
    // Recent enough not to be deleted by the sweep of another test.
    const mark = await insertSessions(3_000, '1 day')
    const mine = sql`starts_with(id_hash, ${mark})`
    const exchanges = await exchangesOf(() => prune(testContext(), consoleSessions, mine))
    const deleted = exchanges.map(({ answered }) => Number(JSON.parse(answered).rowCount))
    expect(deleted.length).toBeGreaterThan(1)
    expect(deleted[0]).toBe(500)
    expect(Math.max(...deleted)).toBeLessThanOrEqual(20_000)
    expect(await countSessions(mark)).toBe(0)
  })

  it('is gone after a sweep', async () => {
    const mark = await insertSessions(600, '-7 days')
    await sweepAll(testContext(), new Date())
    expect(await countSessions(mark)).toBe(0)
  })

  async function insertSessions(count: number, expiresIn: string) {
    const mark = crypto.randomUUID()
    await runSql(
      `insert into console_sessions (id_hash, expires_at)
        select $1 || n, now() + interval '${expiresIn}' from generate_series(1, ${count}) n`,
      [mark],
    )
    return mark
  }

  async function countSessions(mark: string) {
    const [row] = await runSql(
      'select count(*)::integer as left from console_sessions where starts_with(id_hash, $1)',
      [mark],
    )
    return row!.left
  }
})

describe('with many sites', () => {
  it('a minute costs at most 10 statements and 10 calls to Redis when 100 are marked', async () => {
    const world = await sweptWorld()
    const made = await runSql(
      "insert into sites (name, domain) select 'Many', 'many.example.com' from generate_series(1, 2000) returning id",
    )
    const ids = made.map(({ id }) => String(id))
    onTestFinished(() => void runSql('delete from sites where id = any($1)', [ids]))
    const marking = world.ctx.redis.pipeline()
    addMarks(world.ctx, marking, 'waiting', ids.slice(0, 100))
    await marking.exec()
    const cost = await costOf(() => runLaterCron(world))
    expect(cost.statements).toBeGreaterThan(0)
    expect(cost.statements).toBeLessThanOrEqual(10)
    expect(cost.redis).toBeLessThanOrEqual(10)
    expect(await storedIn(world, { id: ids[0]! })).toEqual(await versionsOf(world, { id: ids[0]! }))
    expect(await storedIn(world, { id: ids[100]! })).toBeNull()
    expect(await costOf(() => runCron(world.env))).toEqual({ statements: 0, redis: 1 })
  })
})
