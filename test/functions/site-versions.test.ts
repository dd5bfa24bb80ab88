import { inArray } from 'drizzle-orm'
import { afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { sites } from '../../src/db/schema.ts'
import {
  selectVersions,
  storeStaleVersions,
  versionColumns,
  versionKey,
  withSeqlock,
  withSeqlocks,
} from '../../src/freshness/site-versions.ts'
import { currentVersions } from '../../src/freshness/versions.ts'
import { callsOf, loadScripts } from '../support/calls.ts'
import { putGuide } from '../support/content.ts'
import { bindings, patientRedis, testContext } from '../support/context.ts'
import { exchangesOf } from '../support/exchanges.ts'
import { runFullSweep } from '../support/outbox.ts'
import { interceptFetch } from '../support/own-calls.ts'
import { makeSite, type Page, type TestSite } from '../support/site.ts'
import { runSql } from '../support/sql.ts'
import { callIn, isolate } from '../support/world.ts'

/** The sitemap is last, since rendering it takes more than one call. */
const ROUTES = ['/posts', '/posts/a', '/guides/a', '/sitemap.xml']

beforeAll(loadScripts)

async function siteWithContent() {
  const site = await makeSite()
  await site.put('a', { status: 'published', title: 'First' })
  await putGuide(site, 'a')
  return site
}

async function callsAtOnce(ask: () => Promise<Response>): Promise<number> {
  let [now, most] = [0, 0]
  interceptFetch(async (fetch, input, init) => {
    most = Math.max(most, ++now)
    return fetch(input, init).finally(() => {
      now -= 1
    })
  })
  await ask()
  vi.restoreAllMocks()
  return most
}

const titleOf = async (site: TestSite) => (await site.json<Page>('/posts')).items[0]?.title

afterEach(() => void vi.restoreAllMocks())

/** Stores the key for other isolates. */
const warm = (site: TestSite) => site.get('/posts?pageSize=50')

describe.each(ROUTES)('%s', (below) => {
  it('when it is cached and unchanged, costs one call to Redis and none to Postgres', async () => {
    const site = await siteWithContent()
    const first = await site.get(below)
    const body = await first.text()
    expect(await callsOf(() => site.get(below))).toEqual({ status: 200, redis: 1, postgres: 0 })
    const again = await site.get(below)
    expect(await again.text()).toBe(body)
    for (const name of ['ETag', 'Content-Type', 'Cache-Control', 'Vary']) {
      expect(again.headers.get(name), name).toBe(first.headers.get(name))
    }
    const known = { headers: { 'If-None-Match': first.headers.get('ETag')! } }
    expect(await callsOf(() => site.get(below, known))).toEqual({ status: 304, redis: 1, postgres: 0 })
  })
})

describe.each(ROUTES.slice(0, 3))('%s', (below) => {
  it('when it is not cached, or changed since, costs one call to each', async () => {
    const site = await siteWithContent()
    await warm(site)
    expect(await callsOf(() => site.get(below))).toEqual({ status: 200, redis: 1, postgres: 1 })
    await site.put('a', { status: 'published', title: 'Second' })
    expect(await callsOf(() => site.get(below))).toEqual({ status: 200, redis: 1, postgres: 1 })
  })

  it('asks Postgres only once Redis has admitted the request', async () => {
    const site = await siteWithContent()
    await warm(site)
    await site.put('b', { status: 'published' })
    expect(await callsAtOnce(() => site.get(below))).toBe(1)
    await site.manage('PATCH', '', { dailyQuota: 1 })
    await site.get('/posts?pageSize=49')
    const over = await callsOf(() => site.get(below === '/guides/a' ? '/posts' : below))
    expect(over).toMatchObject({ status: 429, postgres: 0 })
  })

  it('with an unused key costs two more calls, and one after the answer', async () => {
    const site = await siteWithContent()
    // Guesses of other tests would have this isolate look keys up in batches.
    const { ask } = isolate()
    const calls = await callsOf(() => ask(`/api/v1${site.path}${below}`, site.key))
    expect(calls).toEqual({ status: 200, redis: 3, postgres: 2 })
  })
})

describe('/sitemap.xml', () => {
  it('queries posts and guides in parallel', async () => {
    const site = await siteWithContent()
    await site.get('/posts')
    expect(await callsAtOnce(() => site.get('/sitemap.xml'))).toBe(2)
  })
})

describe('a cached answer', () => {
  it('is not served after a write', async () => {
    const site = await siteWithContent()
    for (const title of ['Second', 'Third', 'Fourth']) {
      await titleOf(site)
      await site.put('a', { status: 'published', title })
      expect(await titleOf(site)).toBe(title)
    }
  })

  it('is not served during a write, or after an interrupted one', async () => {
    const site = await siteWithContent()
    await titleOf(site)
    await patientRedis().set(versionKey(testContext(), site.id), '~a writer that died')
    await runSql('update posts set title = $1 where site_id = $2', ['By a writer that died', site.id])
    expect(await titleOf(site)).toBe('By a writer that died')
  })

  it('is served without a query again after a refused write', async () => {
    const site = await siteWithContent()
    await site.put('b')
    await warm(site)
    const refused = [
      await site.tryManage('PUT', '/posts/b/slug', { slug: 'a' }),
      await site.tryManage('PUT', `/keys/${crypto.randomUUID()}/revocation`),
    ]
    expect(refused.map(({ status }) => status)).toEqual([409, 404])
    await expect.poll(() => callsOf(() => site.get('/posts'))).toEqual({ status: 200, redis: 1, postgres: 0 })
  })

  it('is not served when Redis has lost its data, or is down', async () => {
    const site = await siteWithContent()
    await titleOf(site)
    await runSql('update posts set title = $1 where site_id = $2', ['By hand', site.id])
    const redis = patientRedis()
    await redis.del(versionKey(testContext(), site.id))
    expect(await titleOf(site)).toBe('By hand')
    const away = { UPSTASH_REDIS_REST_URL: 'http://127.0.0.1:1' }
    const answer = await callIn(away, `/api/v1${site.path}/posts`, { key: site.key })
    expect((await answer.json<Page>()).items[0]?.title).toBe('By hand')
  })

  it('is not served after SQL by hand, once all sites were swept', async () => {
    const site = await siteWithContent()
    await titleOf(site)
    await runSql('update posts set title = $1 where site_id = $2', ['By hand', site.id])
    await runFullSweep()
    expect(await titleOf(site)).toBe('By hand')
    expect(await callsOf(() => site.get('/posts'))).toEqual({ status: 200, redis: 1, postgres: 0 })
  })

  it('is refused after its key was revoked, deleted or expired by SQL, once all sites were swept', async () => {
    for (const statement of [
      'update api_keys set revoked_at = now() where site_id = $1',
      'delete from api_keys where site_id = $1',
      "update api_keys set expires_at = now() - interval '1 second' where site_id = $1",
    ]) {
      const site = await siteWithContent()
      expect((await site.get('/posts')).status).toBe(200)
      await runSql(statement, [site.id])
      await runFullSweep()
      expect((await site.get('/posts')).status, statement).toBe(401)
    }
  })

  it('to an invalid query changes from 400 to 401 once the key is revoked', async () => {
    const site = await siteWithContent()
    expect((await site.get('/posts?page=0')).status).toBe(400)
    await site.get('/posts')
    expect((await site.get('/posts?page=0')).status).toBe(400)
    await site.manage('PUT', `/keys/${site.keyId}/revocation`)
    expect((await site.get('/posts?page=0')).status).toBe(401)
  })
})

describe('concurrent writers', () => {
  /** A write by SQL that returns the versions as of its commit, like every verb. */
  const write = async (site: TestSite, statement: string) => {
    await runSql(statement, [site.id])
    const [versions] = await selectVersions(testContext(), site.id)
    return { result: null, versions }
  }
  const RETITLE = "update posts set title = title || '+' where site_id = $1"

  it('cannot undo a revocation: the last one to finish stores no older version', async () => {
    const site = await siteWithContent()
    await titleOf(site)
    const [overtaken, revoked] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    let writer: Promise<unknown> | undefined
    await withSeqlock(testContext(), site.id, async () => {
      writer = withSeqlock(testContext(), site.id, async () => {
        const written = await write(site, RETITLE)
        overtaken.resolve()
        await revoked.promise
        return written
      })
      await overtaken.promise
      return write(site, 'update api_keys set revoked_at = now() where site_id = $1')
    })
    revoked.resolve()
    await writer
    expect((await site.get('/posts')).status).toBe(401)
  })

  it('cannot undo a revocation when Redis has lost its data meanwhile', async () => {
    const site = await siteWithContent()
    const ctx = testContext()
    const loseAll = () => patientRedis().del(versionKey(ctx, site.id))
    await loseAll()
    await storeStaleVersions(ctx, { siteIds: [site.id] })
    await withSeqlock(ctx, site.id, async () => {
      const written = await write(site, RETITLE)
      expect((await site.get('/posts')).status).toBe(200)
      await loseAll()
      await site.manage('PUT', `/keys/${site.keyId}/revocation`)
      return written
    })
    expect((await site.get('/posts')).status).toBe(401)
  })

  it('are all visible once the last of them has finished', async () => {
    const site = await siteWithContent()
    await titleOf(site)
    await Promise.all([1, 2, 3].map(() => withSeqlock(testContext(), site.id, () => write(site, RETITLE))))
    expect(await titleOf(site)).toBe('First+++')
    expect(await callsOf(() => site.get('/posts'))).toEqual({ status: 200, redis: 1, postgres: 0 })
  })

  it('do not lose a write to the sweep', async () => {
    const site = await siteWithContent()
    await titleOf(site)
    const ctx = testContext()
    const [read, written] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const store = async (...script: Parameters<typeof ctx.redis.eval>) => {
      if (!script[0].includes("'MSET'")) return ctx.redis.eval(...script)
      read.resolve()
      await written.promise
      return ctx.redis.eval(...script)
    }
    const slow = { ...ctx, redis: Object.assign(Object.create(ctx.redis), { eval: store }) }
    let sweep: Promise<number> | undefined
    await withSeqlock(ctx, site.id, async () => {
      sweep = storeStaleVersions(slow, { siteIds: [site.id] })
      await read.promise
      return write(site, RETITLE)
    })
    written.resolve()
    await sweep
    expect(await titleOf(site)).toBe('First+')
    expect(await callsOf(() => site.get('/posts'))).toEqual({ status: 200, redis: 1, postgres: 0 })
  })

  it('cannot undo a revocation: one whose first call reaches Redis late stores no older version', async () => {
    const site = await siteWithContent()
    await titleOf(site)
    const ctx = testContext()
    let deliver: (() => Promise<unknown>) | undefined
    const pipeline = () => {
      const made = ctx.redis.pipeline()
      const exec = made.exec.bind(made)
      if (deliver) return made
      deliver = exec
      made.exec = () => Promise.reject(new Error('timed out'))
      return made
    }
    const late = Object.assign(Object.create(ctx.redis), { pipeline })
    await withSeqlock({ ...ctx, redis: late }, site.id, async () => {
      const written = await write(site, RETITLE)
      await site.manage('PUT', `/keys/${site.keyId}/revocation`)
      await deliver!()
      return written
    })
    expect((await site.get('/posts')).status).toBe(401)
  })

  it('are visible even if Redis did not answer at first', async () => {
    const site = await siteWithContent()
    await titleOf(site)
    const ctx = testContext()
    let calls = 0
    const pipeline = () => {
      const made = ctx.redis.pipeline()
      if (++calls === 1) made.exec = () => Promise.reject(new Error('away'))
      return made
    }
    const failing = Object.assign(Object.create(ctx.redis), { pipeline })
    await withSeqlock({ ...ctx, redis: failing }, site.id, () => write(site, RETITLE))
    expect(await titleOf(site)).toBe('First+')
  })
})

describe('many sites', () => {
  it('are stored with three commands for each 500, and may change in one write', async () => {
    const made = await runSql(
      "insert into sites (name, domain) select 'Many', 'many.example.com' from generate_series(1, 4100) returning id",
    )
    const siteIds = made.map(({ id }) => String(id))
    onTestFinished(async () => void (await runSql('delete from sites where id = any($1)', [siteIds])))
    // Apart from the marks of other tests, of which a sweep reads 5,000.
    const { config } = testContext()
    const ctx = testContext({ config: { ...config, REDIS_PREFIX: `many-${crypto.randomUUID()}` } })
    const stored = async () =>
      (await patientRedis().mget<string[]>(siteIds.map((id) => versionKey(ctx, id)))).filter(currentVersions)
    const exchanges = await exchangesOf(() => storeStaleVersions(ctx, { siteIds }))
    const toRedis = exchanges.filter(({ url }) => url.startsWith(String(bindings.UPSTASH_REDIS_REST_URL)))
    const commands = toRedis.flatMap(({ url, sent }) =>
      url.endsWith('/pipeline') ? JSON.parse(sent) : [sent],
    )
    expect(commands.length).toBe(9 * 3)
    expect(await stored()).toHaveLength(siteIds.length)
    await withSeqlocks(ctx, siteIds, async () => {
      expect(await stored()).toHaveLength(0)
      const latest = await ctx.db
        .select({ id: sites.id, ...versionColumns })
        .from(sites)
        .where(inArray(sites.id, siteIds))
      return { result: null, latest }
    })
    expect(await stored()).toHaveLength(siteIds.length)
  })
})

describe('a request above the quota', () => {
  it('makes no query', async () => {
    const site = await makeSite({ dailyQuota: 1 })
    await site.put('a')
    expect((await site.get('/posts')).status).toBe(200)
    expect(await callsOf(() => site.get('/posts?page=2'))).toMatchObject({ status: 429, postgres: 0 })
  })
})

describe('an answer loaded before Redis responded', () => {
  it('is not served if it was read at an older version than the current one', async () => {
    const site = await siteWithContent()
    await site.get('/posts?pageSize=50')
    const { fetch } = globalThis
    vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
      const answer = fetch(input, init)
      if (!String(init?.body).includes(':versions:')) return answer
      // Between loading and Redis' response.
      await new Promise((done) => setTimeout(done, 200))
      vi.restoreAllMocks()
      await site.put('a', { status: 'published', title: 'Second' })
      return fetch(input, init)
    })
    expect((await site.json<{ title: string }>('/posts/a')).title).toBe('Second')
  })

  it('is not served to a revoked key, or above the quota', async () => {
    const site = await siteWithContent()
    await site.get('/posts?pageSize=50')
    await site.manage('PUT', `/keys/${site.keyId}/revocation`)
    expect((await site.get('/posts/a')).status).toBe(401)
    const spent = await makeSite({ dailyQuota: 1 })
    await spent.put('a')
    expect((await callIn({}, `/api/v1${spent.path}/posts`, { key: spent.key })).status).toBe(200)
    expect((await spent.get('/posts/a')).status).toBe(429)
  })

  it('is a counted 404 for an unknown slug', async () => {
    const site = await siteWithContent()
    const before = Number((await site.get('/posts')).headers.get('X-RateLimit-Remaining'))
    const missing = await site.get('/posts/missing')
    expect(missing.status).toBe(404)
    expect(missing.headers.get('X-RateLimit-Remaining')).toBe(String(before - 1))
  })
})

describe('an invalid query', () => {
  it('uses no quota', async () => {
    const site = await siteWithContent()
    const before = Number((await site.get('/posts')).headers.get('X-RateLimit-Remaining'))
    await site.get('/posts?page=0')
    expect((await site.get('/posts')).headers.get('X-RateLimit-Remaining')).toBe(String(before - 1))
  })
})
