/** Requests per UTC day, counted in Redis. A site's sitemap-only keys, and its links to drafts, have counters of their own. */
import type { Redis } from '@upstash/redis'
import { type SQL, sql } from 'drizzle-orm'
import type { ApiKeyAuth, DayUse } from '../caches.ts'
import type { Context } from '../context.ts'
import { describeError } from '../core/log.ts'
import { utcDay } from '../core/time.ts'
import { currentVersions, type Versions } from '../freshness/versions.ts'
import { dueNotes } from './activity.ts'
import { admittingRedis } from './admit-script.ts'
import { createLimiter, Ratelimit } from './rate-limiter.ts'

const OUTAGE_LOGGED_EVERY_MS = 60_000
const APART_DIVISOR = 10
const APART_MINIMUM = 100

export const PLAN_QUOTAS = { free: 1_000, starter: 10_000, growth: 100_000, scale: 1_000_000 } as const

/** Whose requests are counted together: a site's, those of its sitemap-only keys, or those of its links to drafts. */
export type QuotaSubject = Pick<ApiKeyAuth, 'site' | 'access'> & Partial<Pick<ApiKeyAuth, 'keyId'>>

/** `reset` is in Unix seconds: the next UTC midnight. */
export type Quota = { limit: number; remaining: number; reset: number; exceeded: boolean }

/** Whether a request uses up one of the quota, is only refused when none is left, or is not counted at all. */
export type QuotaMode = 'consume' | 'peek' | 'skip'

/**
 * `quota` is null for `skip`. `versions` are null when Redis has none that are current. When it could not be `reached` in
 * time there are neither, but for a quota that this isolate knows to be used up.
 */
export type Counted = { quota: Quota | null; versions: Versions | null; reached: boolean }

/**
 * Counts a request and reads the site's versions, in one call to Redis.
 *
 * Neither a burst's own weight nor an outage lets requests past what this isolate knows of the counter: until it knows
 * anything, one of them goes first.
 */
export async function countRequest(ctx: Context, subject: ApiKeyAuth, mode: QuotaMode): Promise<Counted> {
  if (mode === 'skip') return tryToCount(ctx, subject, mode)
  const known = usedToday(ctx, subject)
  if (!known) return countAfterFirst(ctx, subject, mode)
  if (mode === 'consume' && known.used >= limitOf(subject)) {
    // Only asked: it is most likely refused, and where the reply comes late nobody would take it back.
    const asked = await tryToCount(ctx, subject, 'peek')
    if (!asked.reached || asked.quota?.exceeded) return asked
  }
  return tryToCount(ctx, subject, mode)
}

async function countAfterFirst(ctx: Context, subject: ApiKeyAuth, mode: QuotaMode): Promise<Counted> {
  const { firstCounts } = ctx.caches
  const first = await firstCounts.underWay(counterName(subject))
  if (!first) {
    return firstCounts.lead(counterName(subject), () => tryToCount(ctx, subject, mode), ctx.defer)
  }
  return first.reached
    ? tryToCount(ctx, subject, mode)
    : outOfReach(ctx, subject, mode, new Error('Redis has just failed'))
}

async function tryToCount(ctx: Context, subject: ApiKeyAuth, mode: QuotaMode): Promise<Counted> {
  const notes = dueNotes(ctx, subject, mode === 'consume')
  const admitted = { ...subject, by: mode === 'consume' ? 1 : 0, day: new Date(), notes } as const
  let versions: unknown
  const redis = admittingRedis(ctx, admitted, (found) => {
    versions = found
  })
  const known = mode === 'consume' ? usedToday(ctx, subject) : null
  if (known) known.asking += 1
  try {
    const quota = await count(ctx, subject, limiterOf(ctx, subject, redis), mode).finally(() => {
      if (known) known.asking -= 1
    })
    notes.noted()
    return { quota: mode === 'skip' ? null : quota, versions: currentVersions(versions), reached: true }
  } catch (error) {
    return outOfReach(ctx, subject, mode, error)
  }
}

function outOfReach(ctx: Context, subject: QuotaSubject, mode: QuotaMode, error: unknown): Counted {
  noteOutage(ctx, error)
  return { quota: countAlone(ctx, subject, mode), versions: null, reached: false }
}

/** What an isolate does by itself while Redis cannot be reached. Null for a request to serve: some is left, or nothing is known. */
export function countAlone(ctx: Context, subject: QuotaSubject, mode: QuotaMode): Quota | null {
  const known = usedToday(ctx, subject)
  if (mode === 'skip' || !known) return null
  const limit = limitOf(subject)
  const used = known.used + known.asking + known.alone - known.aloneBefore
  if (used >= limit) return { limit, remaining: 0, reset: known.reset, exceeded: true }
  if (mode === 'consume') known.alone += 1
  return null
}

function usedToday(ctx: Context, subject: QuotaSubject): DayUse | null {
  const known = ctx.caches.used.get(counterName(subject))
  return known && Date.now() < known.reset * 1_000 ? known : null
}

/**
 * Takes back a request that was counted as `counted`. Null when Redis cannot be reached in time, and when the day of
 * that count is over.
 */
export async function refundRequest(
  ctx: Context,
  subject: QuotaSubject,
  counted: Pick<Quota, 'reset'>,
): Promise<Quota | null> {
  if (Date.now() >= counted.reset * 1_000) return null
  try {
    const learn = askQuota(ctx, subject)
    const day = new Date(counted.reset * 1_000 - 1)
    const limiter = limiterOf(ctx, subject, admittingRedis(ctx, { ...subject, by: -1, day }))
    return learn(await limiter.limit(counterName(subject), { rate: -1 }), false)
  } catch (error) {
    noteOutage(ctx, error)
    return null
  }
}

async function count(ctx: Context, subject: QuotaSubject, limiter: Ratelimit, mode: QuotaMode) {
  const learn = askQuota(ctx, subject)
  if (mode !== 'consume') {
    const left = await limiter.getRemaining(counterName(subject))
    return learn(left, left.remaining <= 0)
  }
  const result = await limiter.limit(counterName(subject))
  const quota = learn(result, !result.success)
  // A refused request is not a used one. Otherwise requests that were refused would use up a quota that is raised later.
  if (quota.exceeded) ctx.defer(refundRequest(ctx, subject, quota))
  else if (ctx.config.hasAlerts) reportShare(ctx, subject, quota)
  return quota
}

/** The shares of a quota that an operator is alerted to, in percent. */
const SHARES = [100, 80] as const
const countOf = (limit: number, percent: number) => Math.ceil((limit * percent) / 100)

/** The largest share that is used; undefined below all. */
export const shareUsed = (limit: number, used: number) =>
  SHARES.find((percent) => used >= countOf(limit, percent))

/**
 * Of all requests of a day, the one that has just used up a share tells the queue. A 304 gives its unit back, so that the next
 * may use the same up: each isolate tells once a day, and the alert is raised once.
 */
function reportShare(ctx: Context, { site, access }: QuotaSubject, { limit, remaining, reset }: Quota): void {
  const percent = SHARES.find((share) => limit - remaining === countOf(limit, share))
  if (!percent) return
  const noted = `${counterName({ site, access })} ${percent}`
  const { noted: known } = ctx.caches
  if (Date.now() < (known.get(noted) ?? 0)) return
  known.set(noted, reset * 1_000)
  const counter = isApart(access) ? access : 'full'
  const day = utcDay(new Date((reset - 1) * 1_000))
  const used = { siteId: site.id, counter, percent, limit, day } as const
  ctx.defer(
    ctx.queue.send({ quota: used }).catch((error) => {
      known.delete(noted)
      ctx.log('queue.unreachable', { siteId: site.id, error: describeError(error) })
    }),
  )
}

/** A site's sitemap-only keys share a counter, and so do its links, so that several that leaked can use no more than one. */
export function counterName({
  site,
  access,
}: {
  site: { id: string }
  access: QuotaSubject['access']
}): string {
  return isApart(access) ? `${site.id}:${access}` : site.id
}

const isApart = (access: QuotaSubject['access']): access is 'sitemap' | 'preview' =>
  access === 'sitemap' || access === 'preview'

function limiterOf(ctx: Context, subject: QuotaSubject, redis: Redis): Ratelimit {
  return createLimiter(ctx, 'quota', Ratelimit.fixedWindow(limitOf(subject), '1 d'), redis)
}

export function limitOf({ site, access }: QuotaSubject): number {
  const quota = site.dailyQuota ?? PLAN_QUOTAS[site.plan]
  return isApart(access) ? Math.max(APART_MINIMUM, Math.ceil(quota / APART_DIVISOR)) : quota
}

/** The same of a row of sites in SQL: of all full keys together, and of what is counted apart. */
export function selectLimits(row: SQL): { full: SQL; apart: SQL } {
  const quotas = sql`${JSON.stringify(PLAN_QUOTAS)}::jsonb`
  const full = sql`coalesce(${row}.daily_quota, (${quotas} ->> ${row}.plan)::integer)`
  return { full, apart: sql`greatest(${APART_MINIMUM}, ceil(${full} / ${APART_DIVISOR}::float8))` }
}

/**
 * To be called when Redis is asked, and what it returns with the reply: the quota, which this isolate remembers. What it had
 * served alone when it asked is forgotten then: Redis has counted that by now, if it ever does.
 */
function askQuota(ctx: Context, subject: QuotaSubject) {
  const asked = usedToday(ctx, subject)
  const aloneBefore = asked?.alone ?? 0
  return (left: { remaining: number; reset: number }, exceeded: boolean): Quota => {
    const limit = limitOf(subject)
    const { remaining } = left
    const used = limit - remaining
    const reset = Math.floor(left.reset / 1_000)
    const known = usedToday(ctx, subject)
    if (known) known.used = used
    else ctx.caches.used.set(counterName(subject), { used, asking: 0, alone: 0, aloneBefore: 0, reset })
    if (known && known === asked) known.aloneBefore = Math.max(known.aloneBefore, aloneBefore)
    return { limit, remaining, reset, exceeded }
  }
}

const outage = { loggedAt: Number.NEGATIVE_INFINITY, uncounted: 0 }

/** One log line a minute, with the number of requests that could not be counted. */
export function noteOutage(ctx: Context, error: unknown): void {
  outage.uncounted += 1
  if (Date.now() < outage.loggedAt + OUTAGE_LOGGED_EVERY_MS) return
  ctx.log('quota.unreachable', { uncounted: outage.uncounted, error: describeError(error) })
  outage.loggedAt = Date.now()
  outage.uncounted = 0
}
