import { createExecutionContext } from 'cloudflare:test'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { createContext } from '../../functions/http/context.ts'
import { putGuides } from '../../src/content/guides/put.ts'
import { publishSitemap, renewSitemap, unpublishSitemap } from '../../src/content/sitemap/publication.ts'
import type { Context } from '../../src/context.ts'
import { purgeSitemaps, purgesKey } from '../../src/freshness/purges.ts'
import { withSeqlock } from '../../src/freshness/site-versions.ts'
import { getSiteScope } from '../../src/sites/sites.ts'
import { ADMIN } from '../support/actor.ts'
import { bindings, patientRedis } from '../support/context.ts'
import { IN_TIME } from '../support/in-time.ts'
import { hand, noteSwept, runCron } from '../support/outbox.ts'
import { makeSite } from '../support/site.ts'
import { runSql } from '../support/sql.ts'

const MINUTE_MS = 60_000
const tagOf = (site: { id: string }) => `sitemap-${site.id}`

/** Own Redis keys with everything just swept, a queue that records, and a cache that records its purges. */
async function purgeWorld() {
  const env = { ...bindings, REDIS_PREFIX: `${bindings.REDIS_PREFIX}:${crypto.randomUUID()}` }
  const deferred: Promise<unknown>[] = []
  const sent: unknown[] = []
  const purged: string[][] = []
  const made = createContext(env, { waitUntil: (work) => void deferred.push(work) }, { writes: true })
  const ctx: Context = {
    ...made,
    actor: ADMIN,
    queue: { ...made.queue, send: async (...message) => sent.push(message) as never },
    purgeCache: async (tags) => void purged.push(tags),
  }
  await noteSwept(ctx)
  return {
    env,
    ctx,
    purged,
    async sent() {
      await Promise.all(deferred.splice(0))
      return sent.splice(0)
    },
    marks: () => patientRedis().zrange(purgesKey(ctx), 0, -1),
    /** Lets 12 s pass, the minimum between purges, and the 5 s that a mark outlives a purge. */
    async pass(ms = 12_000) {
      vi.setSystemTime(Date.now() + ms)
      if (ms >= 12_000) await patientRedis().del(`${purgesKey(ctx)}:turn`)
    },
  }
}

type World = Awaited<ReturnType<typeof purgeWorld>>

/** A site with a published sitemap and no outdated caches. */
async function publishedSite(world: World) {
  const site = await makeSite()
  await publishSitemap(world.ctx, site)
  await world.pass()
  await purgeSitemaps(world.ctx)
  await world.pass()
  await world.sent()
  world.purged.length = 0
  return site
}

const it = test.extend('world', () => purgeWorld()).extend('site', ({ world }) => publishedSite(world))

async function write({ ctx }: World, site: { id: string }) {
  const scope = await getSiteScope(ctx, site.id)
  await putGuides(ctx, scope, [{ slug: crypto.randomUUID(), title: 'T', contentHtml: 'x' }])
}

const MESSAGE = [{ kind: 'purge' }, { delaySeconds: 12 }]

/** An invocation with a cache in front of it, whose purges succeed or are refused. */
function invocation(purged: string[][], success = true) {
  const purge = async ({ tags = [] }: { tags?: string[] }) => {
    purged.push(tags)
    return { success, errors: success ? [] : [{ code: 10_000, message: 'rate limited' }] }
  }
  return Object.defineProperty(createExecutionContext(), 'cache', { value: { purge } })
}

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }))

describe('a write', () => {
  it('to a site with a published sitemap is followed by one purge of its tag', async ({ world, site }) => {
    await write(world, site)
    expect(await world.sent()).toEqual([MESSAGE])
    expect(world.purged).toEqual([])
    await world.pass()
    expect(await purgeSitemaps(world.ctx)).toBe(1)
    expect(world.purged).toEqual([[tagOf(site)]])
    expect([await world.marks(), await world.sent()]).toEqual([[], []])
    await world.pass()
    expect(await purgeSitemaps(world.ctx)).toBe(0)
    expect(world.purged).toHaveLength(1)
    await write(world, await makeSite())
    expect([await world.marks(), await world.sent()], 'another site').toEqual([[], []])
  })

  it('in a burst sends no message of its own, and a purge follows the last one too', async ({
    world,
    site,
  }) => {
    for (let times = 0; times < 5; times++) {
      await write(world, site)
      await world.pass(2_900)
    }
    expect(await world.sent()).toEqual([MESSAGE])
    await purgeSitemaps(world.ctx)
    // The last write was 2.9 s ago: an earlier read may still be on its way into the cache.
    expect([await world.marks(), await world.sent()]).toEqual([[site.id], [MESSAGE]])
    await world.pass()
    await purgeSitemaps(world.ctx)
    expect(world.purged).toEqual([[tagOf(site)], [tagOf(site)]])
    expect([await world.marks(), await world.sent()]).toEqual([[], []])
  })

  it('during a purge is followed by another purge', async ({ world, site }) => {
    await write(world, site)
    expect(await world.sent()).toEqual([MESSAGE])
    await world.pass()
    const purgeCache = async (tags: string[]) => {
      world.purged.push(tags)
      await write(world, site)
    }
    await purgeSitemaps({ ...world.ctx, purgeCache })
    expect([await world.marks(), await world.sent()]).toEqual([[site.id], [MESSAGE]])
  })
})

describe('purges', () => {
  it('of many sites are batched, at most one batch in 12 s', async ({ world }) => {
    const sites = [await publishedSite(world), await publishedSite(world)]
    for (const site of sites) await write(world, site)
    expect(await world.sent()).toEqual([MESSAGE])
    await Promise.all([purgeSitemaps(world.ctx), purgeSitemaps(world.ctx), purgeSitemaps(world.ctx)])
    expect(world.purged.map((tags) => tags.toSorted())).toEqual([sites.map(tagOf).toSorted()])
    for (const site of sites) await write(world, site)
    await world.pass(11_000)
    await purgeSitemaps(world.ctx)
    expect(world.purged).toHaveLength(1)
    await world.pass()
    await purgeSitemaps(world.ctx)
    expect(world.purged).toHaveLength(2)
  })

  it('follow when a sitemap is renewed or stopped, although its row has no id by then', async ({
    world,
    site,
  }) => {
    await renewSitemap(world.ctx, site)
    await world.pass()
    await purgeSitemaps(world.ctx)
    await world.sent()
    await world.pass()
    await unpublishSitemap(world.ctx, site)
    expect((await world.sent())[0]).toEqual(MESSAGE)
    await world.pass()
    await purgeSitemaps(world.ctx)
    // Each at once, and again for reads that were running.
    expect(world.purged).toEqual(Array(4).fill([tagOf(site)]))
    expect(await world.marks()).toEqual([])
  })

  it('of other sites wait 12 s, not for the sweep, after the purge of a renewed sitemap', async ({
    world,
  }) => {
    const [renewed, written] = [await publishedSite(world), await publishedSite(world)]
    await write(world, written)
    expect(await world.sent()).toEqual([MESSAGE])
    await world.pass(6_000)
    await renewSitemap(world.ctx, renewed)
    expect(world.purged).toEqual([[tagOf(renewed)]])
    expect(await world.sent()).toEqual([MESSAGE])
    await world.pass(6_000)
    await purgeSitemaps(world.ctx)
    expect(world.purged).toHaveLength(1)
    await world.pass()
    await purgeSitemaps(world.ctx)
    expect(world.purged[1]?.toSorted()).toEqual([renewed, written].map(tagOf).toSorted())
    expect([await world.marks(), await world.sent()]).toEqual([[], []])
  })

  it('are made by the queue’s consumer', async ({ world, site }) => {
    await write(world, site)
    await world.pass()
    const { explicitAcks } = await hand([{ kind: 'purge' }], world.env, invocation(world.purged))
    expect(explicitAcks).toEqual(['0'])
    expect(world.purged).toEqual([[tagOf(site)]])
    expect(await world.marks()).toEqual([])
  })

  it('that are refused are logged, keep their marks, and are retried by the sweep', async ({
    world,
    site,
  }) => {
    await write(world, site)
    await world.pass()
    const log = vi.spyOn(console, 'log').mockImplementation(() => {})
    const refused: string[][] = []
    const { explicitAcks } = await hand([{ kind: 'purge' }], world.env, invocation(refused, false))
    expect([explicitAcks, refused]).toEqual([['0'], [[tagOf(site)]]])
    expect(log.mock.calls.join()).toContain(
      '"event":"purge.failed","messageId":"0","error":{"name":"Error","message":"rate limited"}',
    )
    for (const minute of [2, 3]) {
      await world.pass(MINUTE_MS)
      await runCron(world.env, Date.now(), invocation(refused, false))
      expect(refused, `${minute}`).toHaveLength(minute)
    }
    await world.pass(MINUTE_MS)
    await runCron(world.env, Date.now(), invocation(world.purged))
    expect(world.purged).toEqual([[tagOf(site)]])
    expect(await world.marks()).toEqual([])
    await runCron(world.env, Date.now(), invocation(world.purged))
    expect(await patientRedis().zrange(`${world.ctx.config.REDIS_PREFIX}:waiting`, 0, -1)).toEqual([])
    expect(world.purged).toHaveLength(1)
  })

  it('whose message was lost are made by the sweep', async ({ world, site }) => {
    const queue = { ...world.ctx.queue, send: () => Promise.reject(new Error('away')) }
    await write({ ...world, ctx: { ...world.ctx, queue } }, site)
    await world.pass(MINUTE_MS)
    await runCron(world.env, Date.now(), invocation(world.purged))
    expect(world.purged).toEqual([[tagOf(site)]])
  })

  it('are made for a writer that died after its commit', async ({ world, site }) => {
    await new Promise<void>((committed) => {
      withSeqlock(world.ctx, site.id, async () => {
        await runSql('update sites set name = $1 where id = $2', ['By a writer that died', site.id])
        committed()
        return new Promise(() => {})
      })
    })
    expect(await world.marks()).toEqual([])
    await runCron(world.env, Date.now(), invocation(world.purged))
    expect(world.purged).toEqual([[tagOf(site)]])
  })

  it('are made for a Worker that died after it committed the stop of a sitemap', async ({ world, site }) => {
    const dying = Object.create(world.ctx.redis, { eval: { value: () => new Promise(() => {}) } })
    unpublishSitemap({ ...world.ctx, redis: dying }, site)
    await vi.waitUntil(async () => (await getSiteScope(world.ctx, site.id)).sitemapId === null, IN_TIME)
    await world.pass()
    await runCron(world.env, Date.now(), invocation(world.purged))
    expect(world.purged).toEqual([[tagOf(site)]])
  })
})
