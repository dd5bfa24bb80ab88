/** Requests by key, per month or per day of a month, kept for the lifetime of the site. Revoked keys keep their name. */
import { eq, type SQL, sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import { COUNTERS_KEPT_S, countersOfToday } from '../access/counters.ts'
import { type KeyRequests, readKeyRequests } from '../access/key-requests.ts'
import { logOutage } from '../access/quota.ts'
import type { Context } from '../context.ts'
import { utcDay } from '../core/time.ts'
import { responseSchema } from '../core/zod.ts'
import { apiKeys, dailyKeyUsage, dailyUsage } from '../db/schema.ts'
import type { SiteScope } from '../db/site-scope.ts'

export const MONTH = /^[1-9]\d{3}-(0[1-9]|1[0-2])$/

export const KeyUsage = /* @__PURE__ */ responseSchema(() =>
  z
    .object({
      period: z.string().check(z.describe('A UTC month (`2026-11`) or day (`2026-11-28`)')),
      key: z
        .nullable(z.object({ id: z.uuid(), name: z.nullable(z.string()) }))
        .check(
          z.describe(
            'Null for preview links, published sitemaps, and days before requests were counted by key',
          ),
        ),
      requests: z.int(),
    })
    .register(z.globalRegistry, { id: 'KeyUsage' }),
)

export type KeyUsage = z.infer<typeof KeyUsage>

/** From Redis, because the roll-up lags by up to an hour. */
type Today = { requests: number; keys: KeyRequests[] }

/** `today` is null if a read fails. */
export async function readToday(ctx: Context, site: SiteScope, now: Date) {
  const [counters, keys] = await Promise.all([
    countersOfToday(ctx, site, now),
    readKeyRequests(ctx, [site], now, COUNTERS_KEPT_S).catch((error) => {
      logOutage(ctx, error)
      return null
    }),
  ])
  if (!counters || !keys) return { counters, today: null }
  const requests = counters.full.used + counters.sitemap.used + counters.preview.used
  return { counters, today: { requests, keys: keys[0] ?? [] } }
}

/** Newest period first, then the busiest key. `month` null lists months. `isWithoutToday`: Redis is down, so up to an hour is missing. */
export async function listKeyUsage(
  ctx: Context,
  site: SiteScope,
  month: string | null,
  now: Date,
): Promise<{ items: KeyUsage[]; isWithoutToday: boolean }> {
  const [{ today }, [counted, keys]] = await Promise.all([
    readToday(ctx, site, now),
    ctx.db.batch(selectKeyUsage(ctx, site, month, now)),
  ])
  return { items: toKeyUsage(counted.rows, keys, { month, today, now }), isWithoutToday: !today }
}

/** For a batch; `toKeyUsage` reads the rows. */
export function selectKeyUsage({ db }: Context, site: { id: string }, month: string | null, now: Date) {
  const first = `${month}-01`
  const isWithin = month
    ? sql`u.day >= ${first}::date and u.day < ${first}::date + interval '1 month'`
    : sql`true`
  const countRequests = (table: SQL, key: SQL) => sql`
    select to_char(u.day, ${month ? 'YYYY-MM-DD' : 'YYYY-MM'}) as period, u.day = ${utcDay(now)}::date as "isToday",
      ${key} as "keyId", sum(u.requests)::float8 as requests
    from ${table} u where u.site_id = ${site.id} and ${isWithin} group by 1, 2, 3`
  return [
    db.execute(
      sql`${countRequests(sql`${dailyUsage}`, sql`null::uuid`)} union all ${countRequests(sql`${dailyKeyUsage}`, sql`u.key_id`)}`,
    ),
    db
      .select({ id: apiKeys.id, name: apiKeys.name, access: apiKeys.access })
      .from(apiKeys)
      .where(eq(apiKeys.siteId, site.id)),
  ] as const
}

/** Without a `keyId`, the row counts all requests. */
type Counted = { period: string; isToday: boolean; keyId: string | null; requests: number }

type Read = { month: string | null; today: Today | null; now: Date }

export function toKeyUsage(
  rows: Record<string, unknown>[],
  keys: { id: string; name: string }[],
  { month, today, now }: Read,
): KeyUsage[] {
  const names = new Map(keys.map(({ id, name }) => [id, name]))
  const period = utcDay(now).slice(0, month ? 10 : 7)
  const isShown = !month || utcDay(now).startsWith(month)
  const todayRows: Counted[] =
    today && isShown
      ? [{ keyId: null, requests: today.requests }, ...today.keys].map((row) => ({
          ...row,
          period,
          isToday: true,
        }))
      : []
  const known = (rows as Counted[]).filter((row) => !(today && row.isToday))
  const periods = new Map<string, Map<string | null, number>>()
  for (const { period, keyId, requests } of [...known, ...todayRows]) {
    const counts = periods.get(period) ?? new Map<string | null, number>()
    periods.set(period, counts.set(keyId, (counts.get(keyId) ?? 0) + requests))
  }
  return [...periods]
    .toSorted(([one], [other]) => other.localeCompare(one))
    .flatMap(([period, counts]) => toRows(period, counts, names))
}

function toRows(period: string, counts: Map<string | null, number>, names: Map<string, string>): KeyUsage[] {
  const all = counts.get(null) ?? 0
  counts.delete(null)
  const byKey = [...counts].map(([id, requests]) => ({
    period,
    key: { id: id!, name: names.get(id!) ?? null },
    requests,
  }))
  const rest = all - byKey.reduce((sum, { requests }) => sum + requests, 0)
  const mostFirst = byKey.toSorted((one, other) => other.requests - one.requests)
  return [...mostFirst, { period, key: null, requests: rest }].filter(({ requests }) => requests > 0)
}
