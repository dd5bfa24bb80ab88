/** For the sweep: the activity of sites and the last use of keys, which the calls that count requests have noted in Redis. */
import { sql } from 'drizzle-orm'
import type { Context } from '../context.ts'
import { DAY_MS, utcDay } from '../core/time.ts'
import { apiKeys } from '../db/schema.ts'
import { parseMarks, readMarks, removeMarks } from '../freshness/marks.ts'
import type { Sweep } from '../freshness/sweep.ts'

const USES_AT_ONCE = 500
const ACTIVE_SITES_AT_ONCE = 500
export const ACTIVE_SITES_KEPT_S = (3 * DAY_MS) / 1_000

export function activeSitesKey(ctx: Context, day: Date): string {
  return `${ctx.config.REDIS_PREFIX}:active:${utcDay(day)}`
}

/** @throws Error for an invalid reply, which would otherwise loop forever */
export async function* activeSites(ctx: Context, day: Date): AsyncGenerator<string[]> {
  let cursor = '0'
  do {
    const [next, ids] = await ctx.redis.sscan(activeSitesKey(ctx, day), cursor, {
      count: ACTIVE_SITES_AT_ONCE,
    })
    if (!/^\d+$/.test(String(next)) || !Array.isArray(ids)) throw new Error('Redis sent an invalid reply')
    if (ids.length > 0) yield [...new Set(ids.map(String))]
    cursor = String(next)
  } while (cursor !== '0')
}

/** Skips uses of revoked keys, noted before we refused them. A sweep of given sites takes at most 500. @returns how many uses */
export async function storeKeyUses(ctx: Context, { siteIds }: Pick<Sweep, 'siteIds'>): Promise<number> {
  for (let stored = 0; ; ) {
    const reading = ctx.redis.pipeline()
    readMarks(ctx, reading, 'key-uses', USES_AT_ONCE)
    const uses = parseMarks((await reading.exec())[0])
    if (uses.length > 0) {
      await ctx.db.execute(sql`
        update ${apiKeys} k set last_used_at = u.at
        from (
          select id, to_timestamp(at / 1000.0) as at from jsonb_to_recordset(${JSON.stringify(uses)}::jsonb) as _(id uuid, at bigint)
        ) u
        where k.id = u.id and coalesce(k.last_used_at < u.at, true) and coalesce(u.at < k.revoked_at, true)`)
      await removeMarks(ctx, 'key-uses', uses)
    }
    stored += uses.length
    if (siteIds || uses.length < USES_AT_ONCE) return stored
  }
}
