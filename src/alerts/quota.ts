/** Quota alerts, raised by the request that uses up a share of the quota, and every hour if its message was lost. */
import { inArray, sql } from 'drizzle-orm'
import { activeSites } from '../access/activity.ts'
import { COUNTERS_KEPT_S, counterKeys } from '../access/counters.ts'
import { busiestKey, readKeyRequests } from '../access/key-requests.ts'
import { limitOf, logOutage, shareUsed } from '../access/quota.ts'
import type { Context } from '../context.ts'
import { quotaCounters } from '../core/enums.ts'
import { utcDay } from '../core/time.ts'
import { alerts, apiKeys, sites } from '../db/schema.ts'
import type { Sweep } from '../freshness/sweep.ts'
import type { UsedQuota } from '../queue-message.ts'
import { enqueueAlerts, type Raised, SELECT_RAISED } from '../webhooks/raised-alert.ts'
import { isAlerting } from './settings.ts'

/** Once per day, counter and share, because a message may arrive twice. */
export async function raiseQuotaAlert(ctx: Context, used: UsedQuota): Promise<void> {
  if (!(await isAlerting(ctx))) return
  const [raised] = await raise(ctx, [used])
  if (raised) await enqueueAlerts(ctx, raised)
}

/** Finds used shares that no request reported, because the queue was unreachable or the quota was lowered. @returns how many sites */
export async function raiseQuotaAlerts(ctx: Context, { now }: Pick<Sweep, 'now'>): Promise<number> {
  let found = 0
  if (!(await isAlerting(ctx))) return found
  for await (const ids of activeSites(ctx, now)) {
    const { id, plan, dailyQuota } = sites
    const rows = await ctx.db.select({ id, plan, dailyQuota }).from(sites).where(inArray(id, ids))
    if (rows.length === 0) continue
    const counts = await ctx.redis.mget<(string | null)[]>(
      rows.flatMap((site) => counterKeys(ctx, site, now)),
    )
    const used = rows.flatMap((site, at) =>
      quotaCounters.flatMap((counter, which): UsedQuota[] => {
        const limit = limitOf({ site, access: counter } as Parameters<typeof limitOf>[0])
        const count = Number(counts[at * quotaCounters.length + which] ?? 0)
        const percent = shareUsed(limit, count)
        return percent ? [{ siteId: site.id, counter, percent, limit, day: utcDay(now) }] : []
      }),
    )
    if (used.length === 0) continue
    const bySite = new Map((await raise(ctx, used)).map((raised) => [raised.siteId, raised]))
    for (const each of bySite.values()) await enqueueAlerts(ctx, each)
    found += bySite.size
  }
  return found
}

async function raise(ctx: Context, used: UsedQuota[]): Promise<Raised[]> {
  const siteIds = [...new Set(used.map(({ siteId }) => siteId))]
  const { id, siteId, name, access } = apiKeys
  const [keys, requests] = await Promise.all([
    ctx.db.select({ id, siteId, name, access }).from(apiKeys).where(inArray(apiKeys.siteId, siteIds)),
    // An alert without a key is better than none.
    readRequests(ctx, used).catch((error) => void logOutage(ctx, error)),
  ])
  const given = used.map(({ siteId, ...details }, at) => {
    const { counter, day, percent } = details
    const ofSite = keys.filter((key) => key.siteId === siteId)
    const key = busiestKey(counter, requests?.[at] ?? [], ofSite)
    return { siteId, key: `${counter} ${day} ${percent}`, details: { ...details, key } }
  })
  const { rows } = await ctx.db.execute(sql`
    with raised as (
      insert into ${alerts} as a (site_id, kind, quota_key, details)
      select s.id, 'quota', g.key, g.details
      from jsonb_to_recordset(${JSON.stringify(given)}::jsonb) as g ("siteId" uuid, key text, details jsonb)
      join ${sites} s on s.id = g."siteId" and s.deletion_started_at is null
      for key share of s
      on conflict (site_id, quota_key) do nothing
      returning a.site_id
    )
    ${SELECT_RAISED}`)
  return rows as Raised[]
}

/** All must be of one day. */
function readRequests(ctx: Context, used: UsedQuota[]) {
  const ofSites = used.map(({ siteId }) => ({ id: siteId }))
  return readKeyRequests(ctx, ofSites, new Date(used[0]!.day), COUNTERS_KEPT_S)
}
