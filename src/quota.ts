/** Requests per UTC day, counted in Redis: those of a site, and apart from them those of its sitemap-only keys. */
import { Ratelimit } from '@upstash/ratelimit'
import type { Pipeline, Redis } from '@upstash/redis'
import type { Context } from './context.ts'
import { keyAccesses } from './db/enums.ts'
import type { ApiKeyAuth } from './keys.ts'
import { describeError } from './log.ts'
import { currentVersions, type Versions, versionKeys } from './site-versions.ts'

const DAY_MS = 86_400_000
const OUTAGE_LOGGED_EVERY_MS = 60_000
const SITEMAP_DIVISOR = 10
const SITEMAP_MINIMUM = 100

export const PLAN_QUOTAS = { free: 1_000, starter: 10_000, growth: 100_000, scale: 1_000_000 } as const

/** Whose requests are counted together: a site's with `full`, and with `sitemap` those of its keys that open nothing else. */
export type QuotaSubject = Pick<ApiKeyAuth, 'site' | 'access'>

/** `reset` is in Unix seconds: the next UTC midnight. */
export type Quota = { limit: number; remaining: number; reset: number; exceeded: boolean }

/** What a request costs: a unit, nothing but being refused when none is left, or nothing at all. */
export type QuotaMode = 'unit' | 'look' | 'nothing'

/** `quota` is null when the cost is nothing or Redis cannot be reached in time; `versions` as of the site's gate. */
export type Consumed = { quota: Quota | null; versions: Versions | null }

/**
 * Counts a request and asks for the site's versions, in one call to Redis.
 *
 * @throws Error when the limiter does not join that call, in which case it would count nothing, ever
 */
export async function consumeQuota(ctx: Context, asker: QuotaSubject, cost: QuotaMode): Promise<Consumed> {
  const pipeline = ctx.redis.pipeline()
  pipeline.mget(...versionKeys(ctx, asker.site.id))
  const sent = Promise.withResolvers<Reply[]>()
  const limiter = limiterOf(ctx, asker, travelling(ctx.redis, pipeline, sent.promise))
  const counting = cost === 'nothing' ? null : count(ctx, asker, limiter, cost)
  if (counting && pipeline.length() === 1) {
    counting.catch(() => {})
    // No outage to be served through, but a version of Ratelimit that this file does not fit.
    throw new Error('Ratelimit did not call evalsha before its first await')
  }
  try {
    pipeline.exec({ keepErrors: true }).then(sent.resolve, sent.reject)
    const [replies, quota] = await Promise.all([sent.promise, counting])
    return { quota, versions: currentVersions((replies[0]?.result ?? []) as unknown[]) }
  } catch (error) {
    noteOutage(ctx, error)
    return { quota: null, versions: null }
  }
}

/**
 * Gives back the request that was counted as `counted`. Null when Redis cannot be reached in time, and when its day is
 * over: the next day's count never had it.
 */
export async function refund(
  ctx: Context,
  asker: QuotaSubject,
  counted: Pick<Quota, 'reset'>,
): Promise<Quota | null> {
  if (Date.now() >= counted.reset * 1_000) return null
  try {
    const answer = await limiterOf(ctx, asker, ctx.redis).limit(counterName(asker), { rate: -1 })
    return toQuota(asker, answer, false)
  } catch (error) {
    noteOutage(ctx, error)
    return null
  }
}

async function count(ctx: Context, asker: QuotaSubject, limiter: Ratelimit, cost: QuotaMode): Promise<Quota> {
  if (cost === 'look') {
    const left = await limiter.getRemaining(counterName(asker))
    return toQuota(asker, left, left.remaining <= 0)
  }
  const counted = await limiter.limit(counterName(asker))
  const quota = toQuota(asker, counted, !counted.success)
  // A refused request is not a used one: otherwise a raised quota would still be spent by what was refused.
  if (quota.exceeded) ctx.defer(refund(ctx, asker, quota))
  return quota
}

/** What has been asked today, as counted. Null when Redis cannot be reached in time. */
export async function countersOfToday(
  ctx: Context,
  site: QuotaSubject['site'],
  now: Date,
): Promise<Record<QuotaSubject['access'], { limit: number; used: number }> | null> {
  try {
    const counts = await ctx.redis.mget<(string | null)[]>(counterKeys(ctx, site, now))
    const [full, sitemap] = keyAccesses.map((access, at) => ({
      limit: limitOf({ site, access }),
      used: Number(counts[at] ?? 0),
    }))
    return { full: full!, sitemap: sitemap! }
  } catch (error) {
    noteOutage(ctx, error)
    return null
  }
}

/** The Redis keys that count a site's requests of a UTC day, one for each of `keyAccesses`, as Ratelimit names them. */
export function counterKeys(ctx: Context, site: { id: string }, day: Date): string[] {
  const window = Math.floor(day.getTime() / DAY_MS)
  return keyAccesses.map(
    (access) => `${ctx.config.REDIS_PREFIX}:quota:${counterName({ site, access })}:${window}`,
  )
}

/** The name of the counter, which a site's sitemap-only keys share: several that leaked spend no more than one. */
export function counterName({
  site,
  access,
}: {
  site: { id: string }
  access: QuotaSubject['access']
}): string {
  return access === 'full' ? site.id : `${site.id}:${access}`
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

function limiterOf(ctx: Context, asker: QuotaSubject, redis: Redis): Ratelimit {
  return new Ratelimit({
    redis,
    limiter: Ratelimit.fixedWindow(limitOf(asker), '1 d'),
    prefix: `${ctx.config.REDIS_PREFIX}:quota`,
    // A site blocked in this isolate would stay so after its quota was raised.
    ephemeralCache: false,
    // The Redis client has the time limit.
    timeout: 0,
  })
}

export function limitOf({ site, access }: QuotaSubject): number {
  const quota = site.dailyQuota ?? PLAN_QUOTAS[site.plan]
  return access === 'full' ? quota : Math.max(SITEMAP_MINIMUM, Math.ceil(quota / SITEMAP_DIVISOR))
}

function toQuota(asker: QuotaSubject, left: { remaining: number; reset: number }, exceeded: boolean): Quota {
  return {
    limit: limitOf(asker),
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
