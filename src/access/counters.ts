import type { Context } from '../context.ts'
import { quotaCounters } from '../core/enums.ts'
import { DAY_MS } from '../core/time.ts'
import { activeSites } from './activity.ts'
import { quotaKey } from './admit-script.ts'
import { counterName, limitOf, logOutage, type QuotaSubject } from './quota.ts'

/** A counter expires a day after its first request, and the next roll-up may be an hour away. */
export const COUNTERS_KEPT_S = (2 * DAY_MS) / 1_000

type Counter = (typeof quotaCounters)[number]

/** Null if Redis is unreachable. */
export async function countersOfToday(
  ctx: Context,
  site: QuotaSubject['site'],
  now: Date,
): Promise<Record<Counter, { limit: number; used: number }> | null> {
  try {
    const { full, sitemap, preview } = toCounters(await ctx.redis.mget(counterKeys(ctx, site, now)))
    const of = (access: Counter, used: number) => ({ limit: limitOf({ site, access }), used })
    return { full: of('full', full), sitemap: of('sitemap', sitemap), preview: of('preview', preview) }
  } catch (error) {
    logOutage(ctx, error)
    return null
  }
}

/** Null if Redis is unreachable. */
export async function countersOfActiveSites(
  ctx: Context,
  now: Date,
): Promise<({ id: string } & Record<Counter, number>)[] | null> {
  try {
    const found = []
    for await (const ids of activeSites(ctx, now)) {
      const counts = await ctx.redis.mget<(string | null)[]>(
        ids.flatMap((id) => counterKeys(ctx, { id }, now)),
      )
      for (const id of ids) found.push({ id, ...toCounters(counts.splice(0, quotaCounters.length)) })
    }
    return found
  } catch (error) {
    logOutage(ctx, error)
    return null
  }
}

function toCounters(counts: (string | null)[]): Record<Counter, number> {
  const numbers = quotaCounters.map((_, at) => {
    const count = counts[at] ?? 0
    if (!/^-?\d+$/.test(String(count))) throw new Error('Redis sent an invalid reply')
    return Number(count)
  })
  return { full: numbers[0]!, sitemap: numbers[1]!, preview: numbers[2]! }
}

/** One per `quotaCounters`. */
export function counterKeys(ctx: Context, site: { id: string }, day: Date): string[] {
  return quotaCounters.map((access) => quotaKey(ctx, counterName({ site, access }), day))
}
