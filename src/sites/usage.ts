import { and, count, eq, gte, sql } from 'drizzle-orm'
import { activeSites } from '../access/activity.ts'
import { COUNTERS_KEPT_S, counterKeys, type countersOfToday } from '../access/counters.ts'
import { type BusiestKey, busiestKey, readKeyRequests } from '../access/key-requests.ts'
import type { Context } from '../context.ts'
import { LOCKS_KEYS } from '../core/redis.ts'
import { DAY_MS, utcDay } from '../core/time.ts'
import { dailyKeyUsage, dailyUsage, sites, webhookDeliveries } from '../db/schema.ts'
import type { SiteScope } from '../db/site-scope.ts'
import type { Sweep } from '../freshness/sweep.ts'
import { selectEndpoints } from '../webhooks/endpoint.ts'
import { type KeyUsage, readToday, selectKeyUsage, toKeyUsage } from './usage-by-key.ts'

const DAYS_SHOWN = 30

const READ_COUNTERS = `${LOCKS_KEYS}
  for _, key in ipairs(KEYS) do redis.call('EXPIRE', key, ARGV[1]) end
  return redis.call('MGET', unpack(KEYS))`

/** For sites active today or yesterday. Repeating it updates the copies. */
export async function rollUpUsage(ctx: Context, { now }: Pick<Sweep, 'now'>): Promise<number> {
  let written = 0
  for (const day of [now, new Date(now.getTime() - DAY_MS)]) {
    for await (const siteIds of activeSites(ctx, day)) written += await copyCounters(ctx, siteIds, day)
  }
  return written
}

async function copyCounters(ctx: Context, siteIds: string[], day: Date): Promise<number> {
  const keys = siteIds.map((id) => counterKeys(ctx, { id }, day))
  const targets = siteIds.map((id) => ({ id }))
  const [counts, keyCounts] = await Promise.all([
    ctx.redis.eval(READ_COUNTERS, keys.flat(), [COUNTERS_KEPT_S]) as Promise<(string | null)[]>,
    readKeyRequests(ctx, targets, day, COUNTERS_KEPT_S),
  ])
  const rows = siteIds.flatMap((siteId) => {
    const own = counts.splice(0, keys[0]!.length)
    if (own.every((count) => count === null)) return []
    return [{ site_id: siteId, requests: own.reduce((sum, count) => sum + Number(count ?? 0), 0) }]
  })
  const keyRows = siteIds.flatMap((siteId, at) =>
    keyCounts[at]!.map(({ keyId, requests }) => ({ site_id: siteId, key_id: keyId, requests })),
  )
  // Skips deleted sites, and waits for one that is being deleted.
  const [{ rowCount }] = await ctx.db.batch([
    ctx.db.execute(sql`
      insert into ${dailyUsage} (site_id, day, requests)
      select site_id, ${utcDay(day)}::date, requests
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as _(site_id uuid, requests integer)
      join ${sites} s on s.id = site_id
      for key share of s
      on conflict (site_id, day) do update set requests = excluded.requests
      where ${dailyUsage}.requests <> excluded.requests`),
    ctx.db.execute(sql`
      insert into ${dailyKeyUsage} (site_id, day, key_id, requests)
      select site_id, ${utcDay(day)}::date, key_id, requests
      from jsonb_to_recordset(${JSON.stringify(keyRows)}::jsonb) as _(site_id uuid, key_id uuid, requests integer)
      join ${sites} s on s.id = site_id
      for key share of s
      on conflict (site_id, day, key_id) do update set requests = excluded.requests
      where ${dailyKeyUsage}.requests <> excluded.requests`),
    // After Redis loses its data the day restarts, and the keys' earlier counts no longer belong to its total.
    ctx.db.execute(sql`
      delete from ${dailyKeyUsage} u
      using jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as counted (site_id uuid)
      where u.site_id = counted.site_id and u.day = ${utcDay(day)}::date and not exists (
        select from jsonb_to_recordset(${JSON.stringify(keyRows)}::jsonb) as of_key (site_id uuid, key_id uuid)
        where of_key.site_id = u.site_id and of_key.key_id = u.key_id)`),
  ])
  return rowCount
}

export type Usage = {
  /** By counter. Null if Redis is unreachable. */
  today: Awaited<ReturnType<typeof countersOfToday>>
  busiestKey: BusiestKey | null
  /** The last 30 UTC days, today last. */
  days: { day: string; requests: number }[]
  /** The last 30 days by failure: an error or a status, null when delivered, `under_way` without an outcome. */
  deliveries: { failure: string | null; attempts: number }[]
  deliveryDays: { day: string; delivered: number; failed: number }[]
  hasWebhook: boolean
  keys: KeyUsage[]
}

/** One call to Redis and one to Postgres. */
export async function getUsage(ctx: Context, site: SiteScope, now: Date): Promise<Usage> {
  const since = new Date(Date.parse(utcDay(now)) - (DAYS_SHOWN - 1) * DAY_MS)
  const [{ counters, today: todayByKey }, [counted, attempts, endpoints, counts, named]] = await Promise.all([
    readToday(ctx, site, now),
    ctx.db.batch([
      ctx.db
        .select({ day: dailyUsage.day, requests: dailyUsage.requests })
        .from(dailyUsage)
        .where(and(eq(dailyUsage.siteId, site.id), gte(dailyUsage.day, utcDay(since)))),
      ctx.db
        .select({ day: attemptDay, failure, attempts: count() })
        .from(webhookDeliveries)
        .where(and(eq(webhookDeliveries.siteId, site.id), gte(webhookDeliveries.attemptedAt, since)))
        .groupBy(attemptDay, failure),
      selectEndpoints(ctx, sql`${site.id}`),
      ...selectKeyUsage(ctx, site, null, now),
    ]),
  ])
  const requests = new Map(counted.map((row) => [row.day, row.requests]))
  const today = counters
  // The roll-up lags the counters by up to an hour.
  if (today) requests.set(utcDay(now), today.full.used + today.sitemap.used + today.preview.used)
  const shownDays = Array.from({ length: DAYS_SHOWN }, (_, index) =>
    utcDay(new Date(since.getTime() + index * DAY_MS)),
  )
  return {
    today,
    busiestKey: busiestKey('full', todayByKey?.keys ?? [], named),
    days: shownDays.map((day) => ({ day, requests: requests.get(day) ?? 0 })),
    ...toDeliveries(attempts, shownDays),
    hasWebhook: endpoints.length > 0,
    keys: toKeyUsage(counts.rows, named, { month: null, today: todayByKey, now }),
  }
}

const failure = sql<
  string | null
>`case when ${webhookDeliveries.error} is null and ${webhookDeliveries.status} is null then 'under_way'
  when ${webhookDeliveries.error} = 'http_status' then ${webhookDeliveries.status}::text
  else ${webhookDeliveries.error} end`.as('failure')

const attemptDay = sql<string>`(${webhookDeliveries.attemptedAt} at time zone 'UTC')::date::text`.as('day')

type Attempts = { day: string; failure: string | null; attempts: number }

function toDeliveries(rows: Attempts[], days: string[]): Pick<Usage, 'deliveries' | 'deliveryDays'> {
  const byFailure = new Map<string | null, number>()
  const byDay = new Map(days.map((day) => [day, { day, delivered: 0, failed: 0 }]))
  for (const { day, failure, attempts } of rows) {
    byFailure.set(failure, (byFailure.get(failure) ?? 0) + attempts)
    const totals = byDay.get(day)
    if (totals && failure !== 'under_way') totals[failure === null ? 'delivered' : 'failed'] += attempts
  }
  return {
    deliveries: [...byFailure].map(([failure, attempts]) => ({ failure, attempts })),
    deliveryDays: [...byDay.values()],
  }
}
