/** Requests of a site per UTC day, counted in Redis. */
import { Ratelimit } from '@upstash/ratelimit'
import type { Pipeline, Redis } from '@upstash/redis'
import type { Context } from './context.ts'
import { gateKeys, type Versions, vouched } from './gate.ts'
import { describeError } from './log.ts'
import type { SiteScope } from './sites.ts'

const OUTAGE_LOGGED_EVERY_MS = 60_000

export const PLAN_QUOTAS = { free: 1_000, starter: 10_000, growth: 100_000, scale: 1_000_000 } as const

/** `reset` is in Unix seconds: the next UTC midnight. */
export type Quota = { limit: number; remaining: number; reset: number; exceeded: boolean }

/** What a request costs: a unit, nothing but being refused when none is left, or nothing at all. */
export type Cost = 'unit' | 'look' | 'nothing'

/** `quota` is null when the cost is nothing or Redis cannot be reached in time; `versions` as of the site's gate. */
export type Passage = { quota: Quota | null; versions: Versions | null }

/** Counts a request and asks for the site's versions, in one call to Redis. */
export async function pass(ctx: Context, site: SiteScope, cost: Cost): Promise<Passage> {
  const pipeline = ctx.redis.pipeline()
  pipeline.mget(...gateKeys(ctx, site.id))
  try {
    const sent = Promise.withResolvers<Reply[]>()
    const limiter = limiterOf(ctx, site, travelling(ctx.redis, pipeline, sent.promise))
    const counting = cost === 'nothing' ? null : count(ctx, site, limiter, cost)
    pipeline.exec({ keepErrors: true }).then(sent.resolve, sent.reject)
    const [replies, quota] = await Promise.all([sent.promise, counting])
    return { quota, versions: vouched((replies[0]?.result ?? []) as unknown[]) }
  } catch (error) {
    noteOutage(ctx, error)
    return { quota: null, versions: null }
  }
}

/** The quota as it stands. Null when Redis cannot be reached in time. */
export async function peek(ctx: Context, site: SiteScope): Promise<Quota | null> {
  return (await pass(ctx, site, 'look')).quota
}

/**
 * Gives back the request that was counted as `counted`. Null when Redis cannot be reached in time, and when its day is
 * over: the next day's count never had it.
 */
export async function giveBack(
  ctx: Context,
  site: SiteScope,
  counted: Pick<Quota, 'reset'>,
): Promise<Quota | null> {
  if (Date.now() >= counted.reset * 1_000) return null
  try {
    const answer = await limiterOf(ctx, site, ctx.redis).limit(site.id, { rate: -1 })
    return toQuota(site, answer, false)
  } catch (error) {
    noteOutage(ctx, error)
    return null
  }
}

async function count(ctx: Context, site: SiteScope, limiter: Ratelimit, cost: Cost): Promise<Quota> {
  if (cost === 'look') {
    const left = await limiter.getRemaining(site.id)
    return toQuota(site, left, left.remaining <= 0)
  }
  const counted = await limiter.limit(site.id)
  const quota = toQuota(site, counted, !counted.success)
  // A refused request is not a used one: otherwise a raised quota would still be spent by what was refused.
  if (quota.exceeded) ctx.defer(giveBack(ctx, site, quota))
  return quota
}

/** The Redis key that counts a site's requests of a UTC day, as Ratelimit's fixed window names it. */
export function counterKey(ctx: Context, siteId: string, day: Date): string {
  return `${ctx.config.REDIS_PREFIX}:quota:${siteId}:${Math.floor(day.getTime() / 86_400_000)}`
}

type Reply = { result?: unknown; error?: string }

/** A client for the limiter whose script travels in `pipeline`; should Redis not know the script, it goes alone. */
function travelling(redis: Redis, pipeline: Pipeline, sent: Promise<Reply[]>): Redis {
  const evalsha = async (...script: Parameters<Redis['evalsha']>) => {
    const at = pipeline.length()
    pipeline.evalsha(...script)
    const { result, error } = (await sent)[at] ?? {}
    if (error) throw new Error(error)
    return result
  }
  return { evalsha, eval: redis.eval } as unknown as Redis
}

function limiterOf(ctx: Context, site: SiteScope, redis: Redis): Ratelimit {
  return new Ratelimit({
    redis,
    limiter: Ratelimit.fixedWindow(limitOf(site), '1 d'),
    prefix: `${ctx.config.REDIS_PREFIX}:quota`,
    // A site blocked in this isolate would stay so after its quota was raised.
    ephemeralCache: false,
    // The Redis client has the time limit.
    timeout: 0,
  })
}

export function limitOf(site: SiteScope): number {
  return site.dailyQuota ?? PLAN_QUOTAS[site.plan]
}

function toQuota(site: SiteScope, left: { remaining: number; reset: number }, exceeded: boolean): Quota {
  return {
    limit: limitOf(site),
    remaining: left.remaining,
    reset: Math.floor(left.reset / 1_000),
    exceeded,
  }
}

const outage = { loggedAt: Number.NEGATIVE_INFINITY, uncounted: 0 }

/** One line a minute for all requests of this isolate, since in an outage each of them comes here. */
function noteOutage(ctx: Context, error: unknown): void {
  outage.uncounted += 1
  if (Date.now() < outage.loggedAt + OUTAGE_LOGGED_EVERY_MS) return
  ctx.log('quota.unreachable', { uncounted: outage.uncounted, error: describeError(error) })
  outage.loggedAt = Date.now()
  outage.uncounted = 0
}
