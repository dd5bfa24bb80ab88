/** Daily quotas in Redis. Sitemap-only keys share a counter, and so do preview links: leaked ones cannot multiply the quota. */
import { type SQL, sql } from 'drizzle-orm'
import type { ApiKeyAuth, DayUse } from '../caches.ts'
import type { Context } from '../context.ts'
import { describeError } from '../core/log.ts'
import { utcDay } from '../core/time.ts'
import type { Versions } from '../freshness/versions.ts'
import { runAdmitScript } from './admit-script.ts'

const OUTAGE_LOGGED_EVERY_MS = 60_000
const SEPARATE_QUOTA_DIVISOR = 10
const SEPARATE_QUOTA_MINIMUM = 100

export const PLAN_QUOTAS = { free: 1_000, starter: 10_000, growth: 100_000, scale: 1_000_000 } as const

export type QuotaSubject = Pick<ApiKeyAuth, 'site' | 'access'> & Partial<Pick<ApiKeyAuth, 'keyId'>>

/** `reset` is Unix seconds: the next UTC midnight. */
export type Quota = { limit: number; remaining: number; reset: number; exceeded: boolean }

export type QuotaMode = 'consume' | 'peek' | 'skip'

/** `quota` is null for `skip`, and for uncounted requests because the versions differ (`isCurrent` is false). */
export type Counted = { quota: Quota | null; versions: Versions | null; isCurrent: boolean }

/**
 * In a burst on an unknown counter, one request asks Redis first, so that the burst cannot exceed the quota.
 * @returns null if Redis is unreachable
 */
export async function countRequest(
  ctx: Context,
  subject: ApiKeyAuth,
  mode: QuotaMode,
  expected = '',
): Promise<Counted | null> {
  const count = () => tryToCount(ctx, subject, mode, expected)
  if (mode === 'skip' || usedToday(ctx, subject)) return count()
  const { firstCounts } = ctx.caches
  const first = firstCounts.pending(counterName(subject))
  // No await before this, so that only one of several requests goes first.
  if (!first) return firstCounts.lead(counterName(subject), count, ctx.defer)
  if (await first) return count()
  logOutage(ctx, new Error('Redis has just failed'))
  return null
}

async function tryToCount(
  ctx: Context,
  subject: ApiKeyAuth,
  mode: QuotaMode,
  expected: string,
): Promise<Counted | null> {
  const counts = mode === 'consume'
  const { site, keyId } = subject
  const [counter, limit] = [counterName(subject), limitOf(subject)]
  const known = usedToday(ctx, subject)
  if (known && counts) known.inFlight += 1
  try {
    const command = { site, keyId, counter, limit, counts, expected }
    const { versions, isCurrent, ...quota } = await runAdmitScript(ctx, command).finally(() => {
      if (known && counts) known.inFlight -= 1
    })
    remember(ctx, subject, quota)
    if (counts && isCurrent && !quota.exceeded) reportShare(ctx, subject, quota)
    return { quota: mode === 'skip' || !isCurrent ? null : quota, versions, isCurrent }
  } catch (error) {
    logOutage(ctx, error)
    return null
  }
}

function remember(ctx: Context, subject: QuotaSubject, { limit, remaining, reset }: Quota): void {
  const known = usedToday(ctx, subject)
  const used = limit - remaining
  if (known) Object.assign(known, { used, uncounted: 0 })
  else ctx.caches.used.set(counterName(subject), { used, inFlight: 0, uncounted: 0, reset })
}

/** During a Redis outage: the exceeded quota, or null to serve the request uncounted. */
export function countLocally(ctx: Context, subject: QuotaSubject, mode: QuotaMode): Quota | null {
  if (mode === 'skip') return null
  const exceeded = findExhaustedQuota(ctx, subject)
  if (exceeded) return exceeded
  const known = usedToday(ctx, subject)
  if (known && mode === 'consume') known.uncounted += 1
  return null
}

export function findExhaustedQuota(ctx: Context, subject: QuotaSubject): Quota | null {
  const known = usedToday(ctx, subject)
  const limit = limitOf(subject)
  if (!known || known.used + known.inFlight + known.uncounted < limit) return null
  return { limit, remaining: 0, reset: known.reset, exceeded: true }
}

function usedToday(ctx: Context, subject: QuotaSubject): DayUse | null {
  const known = ctx.caches.used.get(counterName(subject))
  return known && Date.now() < known.reset * 1_000 ? known : null
}

const SHARES_PERCENT = [100, 80] as const
const countOf = (limit: number, percent: number) => Math.ceil((limit * percent) / 100)

export const shareUsed = (limit: number, used: number) =>
  SHARES_PERCENT.find((percent) => used >= countOf(limit, percent))

/** Only the request that reaches a share enqueues it. The sweep raises alerts that the queue missed. */
function reportShare(ctx: Context, { site, access }: QuotaSubject, { limit, remaining, reset }: Quota): void {
  const percent = SHARES_PERCENT.find((share) => limit - remaining === countOf(limit, share))
  if (!percent) return
  const counter = hasOwnCounter(access) ? access : 'full'
  const day = utcDay(new Date((reset - 1) * 1_000))
  const used = { siteId: site.id, counter, percent, limit, day } as const
  ctx.defer(
    ctx.queue
      .send({ kind: 'quota', used })
      .catch((error) => ctx.log('queue.unreachable', { siteId: site.id, error: describeError(error) })),
  )
}

export function counterName({
  site,
  access,
}: {
  site: { id: string }
  access: QuotaSubject['access']
}): string {
  return hasOwnCounter(access) ? `${site.id}:${access}` : site.id
}

const hasOwnCounter = (access: QuotaSubject['access']): access is 'sitemap' | 'preview' =>
  access === 'sitemap' || access === 'preview'

export function limitOf({ site, access }: QuotaSubject): number {
  const quota = site.dailyQuota ?? PLAN_QUOTAS[site.plan]
  return hasOwnCounter(access)
    ? Math.max(SEPARATE_QUOTA_MINIMUM, Math.ceil(quota / SEPARATE_QUOTA_DIVISOR))
    : quota
}

/** `apart` is the limit of each separate counter. */
export function selectLimits(row: SQL): { full: SQL; separate: SQL } {
  const quotas = sql`${JSON.stringify(PLAN_QUOTAS)}::jsonb`
  const full = sql`coalesce(${row}.daily_quota, (${quotas} ->> ${row}.plan)::integer)`
  return {
    full,
    separate: sql`greatest(${SEPARATE_QUOTA_MINIMUM}, ceil(${full} / ${SEPARATE_QUOTA_DIVISOR}::float8))`,
  }
}

const outage = { loggedAt: Number.NEGATIVE_INFINITY, uncounted: 0 }

/** Logs once a minute, with the number of uncounted requests. */
export function logOutage(ctx: Context, error: unknown): void {
  outage.uncounted += 1
  if (Date.now() < outage.loggedAt + OUTAGE_LOGGED_EVERY_MS) return
  ctx.log('quota.unreachable', { uncounted: outage.uncounted, error: describeError(error) })
  outage.loggedAt = Date.now()
  outage.uncounted = 0
}
