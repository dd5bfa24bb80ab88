/** Requests per UTC day, counted in Redis. A site's sitemap-only keys, and its links to drafts, have counters of their own. */
import { type SQL, sql } from 'drizzle-orm'
import type { ApiKeyAuth, DayUse } from '../caches.ts'
import type { Context } from '../context.ts'
import { describeError } from '../core/log.ts'
import { utcDay } from '../core/time.ts'
import type { Versions } from '../freshness/versions.ts'
import { type DueNotes, dueNotes } from './activity.ts'
import { type Command, runAdmitScript } from './admit-script.ts'

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
  try {
    const { quota, versions } = await askRedis(ctx, subject, mode === 'consume' ? 1 : 0, new Date(), notes)
    notes.noted()
    if (mode === 'skip') return { quota: null, versions, reached: true }
    // A refused request is not a used one. Otherwise requests that were refused would use up a quota that is raised later.
    if (mode === 'consume' && quota.exceeded) ctx.defer(refundRequest(ctx, subject, quota))
    else if (mode === 'consume' && ctx.config.hasAlerts) reportShare(ctx, subject, quota)
    return { quota, versions, reached: true }
  } catch (error) {
    return outOfReach(ctx, subject, mode, error)
  }
}

/** This isolate remembers the quota, and forgets what it had served alone when it asked: Redis has counted that by now, if it ever does. */
async function askRedis(
  ctx: Context,
  subject: QuotaSubject,
  by: Command['by'],
  day: Date,
  notes?: DueNotes,
): Promise<{ quota: Quota; versions: Versions | null }> {
  const counter = counterName(subject)
  const { site, keyId } = subject
  const asked = usedToday(ctx, subject)
  const aloneBefore = asked?.alone ?? 0
  if (asked && by === 1) asked.asking += 1
  const asking = runAdmitScript(ctx, { site, keyId, counter, limit: limitOf(subject), by, day, notes })
  const { versions, ...quota } = await asking.finally(() => {
    if (asked && by === 1) asked.asking -= 1
  })
  const used = quota.limit - quota.remaining
  const known = usedToday(ctx, subject)
  if (known) known.used = used
  else ctx.caches.used.set(counter, { used, asking: 0, alone: 0, aloneBefore: 0, reset: quota.reset })
  if (known && known === asked) known.aloneBefore = Math.max(known.aloneBefore, aloneBefore)
  return { quota, versions }
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
    const { quota } = await askRedis(ctx, subject, -1, new Date(counted.reset * 1_000 - 1))
    return { ...quota, exceeded: false }
  } catch (error) {
    noteOutage(ctx, error)
    return null
  }
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
    ctx.queue.send({ kind: 'quota', used }).catch((error) => {
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

const outage = { loggedAt: Number.NEGATIVE_INFINITY, uncounted: 0 }

/** One log line a minute, with the number of requests that could not be counted. */
export function noteOutage(ctx: Context, error: unknown): void {
  outage.uncounted += 1
  if (Date.now() < outage.loggedAt + OUTAGE_LOGGED_EVERY_MS) return
  ctx.log('quota.unreachable', { uncounted: outage.uncounted, error: describeError(error) })
  outage.loggedAt = Date.now()
  outage.uncounted = 0
}
