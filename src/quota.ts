/** Requests of a site per UTC day, counted in Redis. */
import { Ratelimit } from '@upstash/ratelimit'
import type { Context } from './context.ts'
import { describeError } from './log.ts'
import type { SiteScope } from './sites.ts'

const OUTAGE_LOGGED_EVERY_MS = 60_000

export const PLAN_QUOTAS = { free: 1_000, starter: 10_000, growth: 100_000, scale: 1_000_000 } as const

/** `reset` is in Unix seconds: the next UTC midnight. */
export type Quota = { limit: number; remaining: number; reset: number; exceeded: boolean }

/** Counts one request. Null when the counter cannot be reached in time: the request is then served uncounted. */
export function spend(ctx: Context, site: SiteScope): Promise<Quota | null> {
  return reached(ctx, site, async (limiter) => {
    const counted = await limiter.limit(site.id)
    // A refused request is not a used one: otherwise a raised quota would still be spent by what was refused.
    if (!counted.success) ctx.defer(giveBack(ctx, site))
    return { remaining: counted.remaining, reset: counted.reset, exceeded: !counted.success }
  })
}

/** The quota as it stands, for requests that cost nothing. Null as in `spend`. */
export function peek(ctx: Context, site: SiteScope): Promise<Quota | null> {
  return reached(ctx, site, async (limiter) => {
    const { remaining, reset } = await limiter.getRemaining(site.id)
    return { remaining, reset, exceeded: remaining <= 0 }
  })
}

/** Gives a counted request back. Null as in `spend`. */
export function giveBack(ctx: Context, site: SiteScope): Promise<Quota | null> {
  return reached(ctx, site, async (limiter) => {
    const { remaining, reset } = await limiter.limit(site.id, { rate: -1 })
    return { remaining, reset, exceeded: false }
  })
}

/** The Redis key that counts a site's requests of a UTC day, as Ratelimit's fixed window names it. */
export function counterKey(ctx: Context, siteId: string, day: Date): string {
  return `${ctx.config.REDIS_PREFIX}:quota:${siteId}:${Math.floor(day.getTime() / 86_400_000)}`
}

async function reached(
  ctx: Context,
  site: SiteScope,
  ask: (limiter: Ratelimit) => Promise<Omit<Quota, 'limit'>>,
): Promise<Quota | null> {
  const limit = site.dailyQuota ?? PLAN_QUOTAS[site.plan]
  const limiter = new Ratelimit({
    redis: ctx.redis,
    limiter: Ratelimit.fixedWindow(limit, '1 d'),
    prefix: `${ctx.config.REDIS_PREFIX}:quota`,
    // A site blocked in this isolate would stay so after its quota was raised.
    ephemeralCache: false,
    // The Redis client has the time limit.
    timeout: 0,
  })
  try {
    const answer = await ask(limiter)
    return { ...answer, limit, reset: Math.floor(answer.reset / 1_000) }
  } catch (error) {
    noteOutage(ctx, error)
    return null
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
