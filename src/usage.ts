/** Daily usage: the counters of Redis, copied to Postgres to outlive the day, and a site's other figures. */
import { and, count, eq, gt, gte, sql } from 'drizzle-orm'
import type { Context } from './context.ts'
import {
  dailyUsage,
  postCounts,
  type postStatuses,
  type qualityBands,
  trainingRows,
  webhookDeliveries,
} from './db/schema.ts'
import { sitePages } from './db/site-pages.ts'
import { counterKeys, countersOfToday } from './quota.ts'
import type { SiteScope } from './sites.ts'
import { DAY_MS } from './time.ts'

const DAYS_SHOWN = 30

/** Copies every site's counters of today and yesterday. Run again, it updates them. */
export async function rollUpUsage(ctx: Context, now: Date): Promise<number> {
  const days = [now, new Date(now.getTime() - DAY_MS)]
  let written = 0
  for await (const page of sitePages(ctx.db)) {
    const counted = page.flatMap((site) =>
      days.map((day) => ({ site, day, keys: counterKeys(ctx, site, day) })),
    )
    const values = await ctx.redis.mget<(string | null)[]>(counted.flatMap(({ keys }) => keys))
    const rows = counted.flatMap(({ site, day, keys }, index) => {
      const counts = values.slice(index * keys.length, (index + 1) * keys.length)
      if (counts.every((count) => count === null)) return []
      const requests = counts.reduce((sum, count) => sum + Number(count ?? 0), 0)
      return [{ siteId: site.id, day: dayOf(day), requests }]
    })
    if (rows.length > 0) await write(ctx, rows)
    written += rows.length
  }
  return written
}

function write(ctx: Context, rows: (typeof dailyUsage.$inferInsert)[]) {
  return ctx.db
    .insert(dailyUsage)
    .values(rows)
    .onConflictDoUpdate({
      target: [dailyUsage.siteId, dailyUsage.day],
      set: { requests: sql`excluded.requests` },
    })
}

export type Usage = {
  /** Today's requests, by counter. Null when Redis cannot be reached. */
  today: Awaited<ReturnType<typeof countersOfToday>>
  /** All requests of the last 30 UTC days, today last. */
  days: { day: string; requests: number }[]
  /** Attempts of the last 30 days, by failure: null when delivered, `under_way` when without an outcome. */
  deliveries: { failure: string | null; attempts: number }[]
  posts: {
    status: (typeof postStatuses)[number]
    qualityBand: (typeof qualityBands)[number] | null
    count: number
  }[]
  /** Rows in the training export. Null where it is off. */
  trainingRows: number | null
}

/** A site's figures, with one call to Redis and one to Postgres. */
export async function getUsage(ctx: Context, site: SiteScope, now: Date): Promise<Usage> {
  const since = new Date(Date.parse(dayOf(now)) - (DAYS_SHOWN - 1) * DAY_MS)
  const [today, [counted, deliveries, byState, [training]]] = await Promise.all([
    countersOfToday(ctx, site, now),
    ctx.db.batch([
      ctx.db
        .select({ day: dailyUsage.day, requests: dailyUsage.requests })
        .from(dailyUsage)
        .where(and(eq(dailyUsage.siteId, site.id), gte(dailyUsage.day, dayOf(since)))),
      ctx.db
        .select({ failure, attempts: count() })
        .from(webhookDeliveries)
        .where(and(eq(webhookDeliveries.siteId, site.id), gte(webhookDeliveries.attemptedAt, since)))
        .groupBy(failure),
      ctx.db
        .select({
          status: postCounts.status,
          qualityBand: sql<(typeof qualityBands)[number] | null>`nullif(${postCounts.qualityBand}, '')`,
          count: sql<number>`sum(${postCounts.posts})::integer`,
        })
        .from(postCounts)
        .where(and(eq(postCounts.siteId, site.id), gt(postCounts.posts, 0)))
        .groupBy(postCounts.status, postCounts.qualityBand),
      ctx.db
        .select({ count: count() })
        .from(trainingRows)
        .where(and(eq(trainingRows.siteId, site.id), trainingRows.optIn)),
    ]),
  ])
  const requests = new Map(counted.map((row) => [row.day, row.requests]))
  // The roll-up is up to a minute behind the counters.
  if (today) requests.set(dayOf(now), today.full.used + today.sitemap.used)
  return {
    today,
    days: Array.from({ length: DAYS_SHOWN }, (_, index) => {
      const day = dayOf(new Date(since.getTime() + index * DAY_MS))
      return { day, requests: requests.get(day) ?? 0 }
    }),
    deliveries,
    posts: byState,
    trainingRows: site.trainingOptIn ? training!.count : null,
  }
}

const failure = sql<
  string | null
>`case when ${webhookDeliveries.error} is null and ${webhookDeliveries.status} is null then 'under_way'
  else ${webhookDeliveries.error} end`.as('failure')

function dayOf(at: Date): string {
  return at.toISOString().slice(0, 10)
}
