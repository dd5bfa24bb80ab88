import { and, eq, ne, type SQL, sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import { countersOfActiveSites, countersOfToday } from '../access/counters.ts'
import { isKeyLive } from '../access/keys.ts'
import { selectLimits } from '../access/quota.ts'
import type { Context } from '../context.ts'
import { likeSubstring, wordsOf } from '../core/fold.ts'
import { ofReachableSites } from '../db/reachable-sites.ts'
import { apiKeys, dailyUsage, postCounts, type postStatuses, sites } from '../db/schema.ts'
import { type ListedEntry, selectRecentChanges, toEntries } from '../people/audit-log.ts'
import {
  type DeliveryCounts,
  selectRecentDeliveries,
  sumDeliveries,
  toRecentDeliveries,
} from '../webhooks/recent-deliveries.ts'
import type { SiteRow } from './sites.ts'
import {
  hiddenBy,
  type SiteTroubles,
  selectTroubles,
  severities,
  severityOf,
  type Trouble,
  troubles,
} from './troubles.ts'

export type SiteOverview = {
  site: Pick<SiteRow, 'id' | 'name' | 'domain' | 'plan'> & { deletionStartedAt: string | null }
  published: number
  drafts: number
  /** Requests by full keys. Null if Redis is unreachable. */
  today: { limit: number; used: number } | null
  /** Requests by full keys on each of the last 14 UTC days, oldest first. Without today if Redis is unreachable. */
  daily: number[]
  /** 3 is the worst, 0 means nothing to report. */
  severity: number
  found: SiteTroubles
}

/** `trouble` sorts the worst first, and by name among equals. */
export const siteSorts = ['trouble', 'newest', 'name', 'posts', 'quota'] as const
type SiteSort = (typeof siteSorts)[number]

/** `any` selects sites with a trouble. */
export type SiteFilter = {
  /** Words of the name and domain, in any order. */
  search?: string
  trouble?: Trouble | 'any' | undefined
  sort?: SiteSort
}

const DAYS_SHOWN = 14

export type SiteCursor = [key: number | string, id: string]

const Cursor = z.tuple([z.union([z.number(), z.string()]), z.uuid()])

export const parseSiteCursor = (sort: SiteSort) => (text: string) => {
  try {
    const cursor = Cursor.parse(JSON.parse(text))
    return typeof cursor[0] === (sort === 'name' || sort === 'trouble' ? 'string' : 'number') ? cursor : null
  } catch {
    return null
  }
}

export type SiteOverviews = {
  items: SiteOverview[]
  next: string | null
  /** Over all sites that the search finds, ignoring the filter except in `selected`. */
  totals: {
    sites: number
    /** Sites that the filter selects. */
    selected: number
    /** Sites with a trouble, and those that show each trouble. */
    troubled: number
    troubles: Record<Trouble, number>
    oldestMs: number | null
    published: number
    drafts: number
    /** Requests today. */
    used: number
  }
  /** True if today's requests are unknown. */
  isUncounted: boolean
}

/** One call to Postgres, for the sites that the actor can reach. */
export async function listSiteOverviews(
  ctx: Context,
  { limit, cursor }: { limit: number; cursor: SiteCursor | null },
  { search = '', trouble, sort = 'trouble' }: SiteFilter,
  now: Date,
): Promise<SiteOverviews> {
  const counters = await countersOfActiveSites(ctx, now)
  const matches = and(ofReachableSites(ctx, sql`s.id`), ...wordsOf(search).map(matchesWord)) ?? sql`true`
  const { key, isAscending } = SORTS[sort]
  const hasTrouble =
    trouble === 'any' ? sql`m.severity > 0` : trouble && sql`m.${sql.identifier(trouble)} > 0`
  const isAfter =
    cursor && sql`(${key}, m.id) ${isAscending ? sql`>` : sql`<`} (${cursor[0]}, ${cursor[1]}::uuid)`
  const order = isAscending ? sql`asc` : sql`desc`
  const [, { rows }] = await ctx.db.batch([
    // JIT compilation would take longer than the statement.
    ctx.db.execute(sql`select set_config('jit', 'off', true)`),
    ctx.db.execute(sql`
    with measured as materialized (${measure(counters, matches)}),
    shown as (
      select ${key} as key, m.*, ${selectDaily(now)} as daily from measured m
      where ${hasTrouble ?? sql`true`} and ${isAfter ?? sql`true`}
      order by ${key} ${order}, m.id ${order} limit ${limit + 1}
    )
    select (select jsonb_build_object('sites', count(*), 'selected', count(*) filter (where ${hasTrouble ?? sql`true`}), 'oldestMs', min("createdAt"),
        'published', coalesce(sum(published), 0), 'drafts', coalesce(sum(drafts), 0), 'used', coalesce(sum(used), 0),
        'troubled', count(*) filter (where severity > 0), 'troubles', ${countEach}) from measured m) as totals,
      coalesce((select jsonb_agg(to_jsonb(s) order by s.key ${order}, s.id ${order}) from shown s), '[]') as shown`),
  ])
  const { totals, shown } = rows[0] as {
    totals: SiteOverviews['totals']
    shown: (Row & { key: string })[]
  }
  const items = shown.slice(0, limit)
  const last = items.at(-1)
  return {
    items: items.map((row) => toOverview(row, counters !== null)),
    next: last && shown.length > limit ? JSON.stringify([last.key, last.id]) : null,
    totals,
    isUncounted: counters === null,
  }
}

/** One call to Postgres. `deliveries` are those of all webhooks, null without a webhook. */
export async function getSiteOverview(
  ctx: Context,
  site: SiteRow,
  now: Date,
): Promise<{
  overview: SiteOverview
  deliveries: DeliveryCounts | null
  recent: ListedEntry[]
  /** True if a key reads posts. */
  hasKey: boolean
}> {
  const today = await countersOfToday(ctx, site, now)
  const counters = today && [
    { id: site.id, full: today.full.used, sitemap: today.sitemap.used, preview: today.preview.used },
  ]
  const measured = measure(counters, sql`s.id = ${site.id}`)
  const [, { rows }, deliveries, recent, keys] = await ctx.db.batch([
    ctx.db.execute(sql`select set_config('jit', 'off', true)`),
    ctx.db.execute(sql`select m.*, ${selectDaily(now)} as daily from (${measured}) m`),
    selectRecentDeliveries(ctx, site, now),
    selectRecentChanges(ctx, site.id),
    ctx.db
      .select({ id: apiKeys.id })
      .from(apiKeys)
      .where(and(eq(apiKeys.siteId, site.id), ne(apiKeys.access, 'sitemap'), isKeyLive))
      .limit(1),
  ])
  return {
    overview: toOverview(rows[0] as Row, counters !== null),
    deliveries: sumDeliveries([...toRecentDeliveries(deliveries, now).values()]),
    recent: await toEntries(ctx, recent),
    hasKey: keys.length > 0,
  }
}

type Row = SiteTroubles & {
  id: string
  name: string
  domain: string
  plan: SiteRow['plan']
  deletionStartedAt: string | null
  published: number
  drafts: number
  quota: number
  used: number
  severity: number
  daily: number[]
}

function measure(counters: { id: string }[] | null, which: SQL): SQL {
  const { full, separate } = selectLimits(sql`s`)
  const share = sql`q.share`
  return sql`
    select b.*, ${severityOf(sql`b`)} as severity from (
      select s.id, s.name, s.domain, s.plan, wire_time(s.deletion_started_at) as "deletionStartedAt",
        floor(extract(epoch from s.created_at) * 1000)::float8 as "createdAt",
        q.quota, q.used, q.share,
        ${countPosts('published')} as published, ${countPosts('draft')} as drafts, t.*
      from ${sites} s
      left join jsonb_to_recordset(${JSON.stringify(counters ?? [])}::jsonb)
        as u (id uuid, "full" integer, sitemap integer, preview integer) on u.id = s.id
      cross join lateral (
        select ${full} as quota, coalesce(u."full", 0) as used,
          ${
            counters === null
              ? sql`null::float8`
              : sql`greatest(coalesce(u."full", 0) / ${full}::float8, coalesce(u.sitemap, 0) / ${separate}::float8,
            coalesce(u.preview, 0) / ${separate}::float8)`
          } as share
      ) q
      cross join lateral (${selectTroubles(share)}) t
      where ${which}
      offset 0 -- Each of them is computed once.
    ) b`
}

/** Reads the site `m`. */
function selectDaily(now: Date): SQL<number[]> {
  return sql`(select jsonb_agg(coalesce(u.requests, 0) order by d.day)
    from generate_series(1, ${DAYS_SHOWN - 1}) as ago
    cross join lateral (select (${now.toISOString()}::timestamptz at time zone 'UTC')::date - ago as day) d
    left join ${dailyUsage} u on u.site_id = m.id and u.day = d.day)`
}

const SORTS: Record<SiteSort, { key: SQL; isAscending: boolean }> = {
  trouble: {
    key: sql`${sql.raw(String(severities.length))} - m.severity || lower(m.name)`,
    isAscending: true,
  },
  newest: { key: sql`m."createdAt"`, isAscending: false },
  name: { key: sql`lower(m.name)`, isAscending: true },
  posts: { key: sql`m.published + m.drafts`, isAscending: false },
  quota: { key: sql`coalesce(m.share, 0)`, isAscending: false },
}

const isShown = (trouble: Trouble) =>
  and(
    sql`${sql.identifier(trouble)} > 0`,
    ...hiddenBy(trouble).map((other) => sql`${sql.identifier(other)} = 0`),
  )

const countEach = sql`jsonb_build_object(${sql.join(
  troubles.flatMap((trouble) => [sql.raw(`'${trouble}'`), sql`count(*) filter (where ${isShown(trouble)})`]),
  sql`, `,
)})`

function toOverview(row: Row, isCounted: boolean): SiteOverview {
  const {
    id,
    name,
    domain,
    plan,
    deletionStartedAt,
    published,
    drafts,
    quota,
    used,
    severity,
    daily,
    ...found
  } = row
  return {
    site: { id, name, domain, plan, deletionStartedAt },
    published,
    drafts,
    today: isCounted ? { limit: quota, used } : null,
    daily: isCounted ? [...daily, used] : daily,
    severity,
    found,
  }
}

function countPosts(status: (typeof postStatuses)[number]): SQL<number> {
  return sql`(select coalesce(sum(c.posts), 0)::integer from ${postCounts} c
    where c.site_id = s.id and c.status = ${status})`
}

/** Reads the site `s`. A scan is fast enough, because sites are few. */
export function matchesWord(word: string): SQL {
  return sql`(s.name || ' ' || s.domain) ilike ${likeSubstring(word)}`
}
