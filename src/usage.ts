/** Daily usage: what Redis counted, kept in Postgres for longer than a day. */
import { asc, gt, sql } from 'drizzle-orm'
import type { Context } from './context.ts'
import { dailyUsage, sites } from './db/schema.ts'
import { counterKey } from './quota.ts'

const DAY_MS = 86_400_000
const SITES_AT_ONCE = 500

/** Copies the counters of today and yesterday of every site; run again, it brings them up to date. */
export async function rollUp(ctx: Context, now: Date): Promise<number> {
  const days = [now, new Date(now.getTime() - DAY_MS)]
  let written = 0
  for (let last: string | null = null; ; ) {
    const page: { id: string }[] = await ctx.db
      .select({ id: sites.id })
      .from(sites)
      .where(last ? gt(sites.id, last) : undefined)
      .orderBy(asc(sites.id))
      .limit(SITES_AT_ONCE)
    if (page.length === 0) return written
    const counters = page.flatMap(({ id }) =>
      days.map((day) => ({ siteId: id, day, key: counterKey(ctx, id, day) })),
    )
    const counts = await ctx.redis.mget<(number | null)[]>(counters.map((counter) => counter.key))
    const rows = counters.flatMap(({ siteId, day }, index) => {
      const requests = counts[index]
      return typeof requests === 'number' ? [{ siteId, day: day.toISOString().slice(0, 10), requests }] : []
    })
    if (rows.length > 0) await write(ctx, rows)
    written += rows.length
    last = page.at(-1)!.id
  }
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
