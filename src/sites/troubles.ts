/**
 * What can be wrong with a site, or waits for somebody: one table, from which come the statement that finds it, the overviews,
 * and the order and filter of the list of sites. What a row counts is bounded, so that a site with much of it costs no more.
 */
import { type SQL, sql } from 'drizzle-orm'
import {
  alerts,
  apiKeys,
  postTitles,
  webhookDeliveries,
  webhookEvents,
  webhookStreaks,
} from '../db/schema.ts'
import { contentEventKinds } from '../webhooks/event-kinds.ts'

/** What can be counted without end is counted up to this. */
export const COUNTED = 100
export const FAILING_DAYS = 7
export const EXPIRING_DAYS = 14
/** Uses of a key are written down within the hour, and most keys are used on the day on which they are made. */
const UNUSED_FOR = '1 day'
/** Scheduled drafts are published each minute, and a run may take some. */
const LATE = '5 minutes'
/** A single failure is told by what has not arrived. */
const IN_A_ROW = 3
/** The share of a quota from which on it is near its end. */
const NEAR = 0.8

/** `danger`: readers or receivers do not get what they should. `warning`: soon. `waiting`: somebody should look at it. */
export const severities = ['danger', 'warning', 'waiting'] as const

/** In the order in which they are shown. Each is a number, which is 0 for none. */
export const TROUBLES = {
  failing: 'danger',
  streak: 'danger',
  usedUp: 'danger',
  overdue: 'danger',
  nearQuota: 'warning',
  unsent: 'warning',
  deletion: 'warning',
  expiring: 'warning',
  ready: 'waiting',
  changes: 'waiting',
  unused: 'waiting',
} as const satisfies Record<string, (typeof severities)[number]>

export type Trouble = keyof typeof TROUBLES
export const troubles = Object.keys(TROUBLES) as Trouble[]

/** How many of each a site has, and the times and names that tell more of them. */
export type Found = Record<Trouble, number> & {
  /** Events of posts with a failed attempt since yesterday in UTC, and those of them that have arrived meanwhile. */
  failed: number
  arrived: number
  /** The share of the quota that is used, of whichever counter is nearest its end. Null when unknown. */
  share: number | null
  /** When the one that has waited longest was marked ready. */
  readySince: string | null
  readyPremium: number
  /** When the first of those that are overdue was to be published. */
  overdueSince: string | null
  /** When the first of them expires, and its name. */
  expiresFirst: string | null
  expiringKey: string | null
  unusedKey: string | null
}

/** Midnight UTC, when yesterday began. */
export const sinceYesterday = (now: Date) => {
  const since = new Date(now)
  since.setUTCHours(-24, 0, 0, 0)
  return since
}

/** The columns of a lateral query for each site `s`, of which `share` is that of its quota. */
export function selectTroubles(share: SQL, now: Date): SQL {
  const countOf = (rows: SQL) => sql`(select count(*)::integer from (${rows} limit ${COUNTED}) counted)`
  const isLive = sql`k.site_id = s.id and k.revoked_at is null and coalesce(k.expires_at > now(), true)`
  const isExpiring = sql`${isLive} and k.expires_at < now() + make_interval(days => ${EXPIRING_DAYS})`
  const isUnused = sql`${isLive} and k.last_used_at is null and k.created_at < now() - ${UNUSED_FOR}::interval`
  return sql`select
    ${countOf(sql`select from ${webhookEvents} e
      where e.site_id = s.id and e.state = 'failed' and e.event in ${contentEventKinds}
        and e.finished_at > now() - make_interval(days => ${FAILING_DAYS})`)} as failing,
    (select coalesce(max(w.failures), 0) from ${webhookStreaks} w
      where w.site_id = s.id and w.failures >= ${IN_A_ROW}) as streak,
    (coalesce(${share}, 0) >= 1)::integer as "usedUp",
    (coalesce(${share}, 0) >= ${NEAR} and ${share} < 1)::integer as "nearQuota",
    ${countOf(sql`select from ${alerts} a
      where a.site_id = s.id and a.state = 'failed' and a.created_at > now() - make_interval(days => ${FAILING_DAYS})`)} as unsent,
    (s.deletion_started_at is not null)::integer as deletion,
    k.expiring, k."expiresFirst", k."expiringKey", k.unused, k."unusedKey",
    r.ready, r."readySince", r."readyPremium", o.overdue, o."overdueSince",
    ${countOf(sql`select from ${postTitles} p
      where p.site_id = s.id and p.changes_requested order by p.updated_at`)} as changes,
    f.failed, f.arrived
    from (
      select count(*) filter (where ${isExpiring})::integer as expiring,
        wire_time(min(k.expires_at) filter (where ${isExpiring})) as "expiresFirst",
        (array_agg(k.name order by k.expires_at) filter (where ${isExpiring}))[1] as "expiringKey",
        count(*) filter (where ${isUnused})::integer as unused,
        (array_agg(k.name order by k.created_at) filter (where ${isUnused}))[1] as "unusedKey"
      from ${apiKeys} k where k.site_id = s.id
    ) k, (
      select count(*)::integer as ready, wire_time(min(ready_at)) as "readySince",
        count(*) filter (where quality_band = 'premium')::integer as "readyPremium" from (
        select p.ready_at, p.quality_band from ${postTitles} p
        where p.site_id = s.id and p.ready_at is not null and p.status = 'draft'
        order by p.updated_at limit ${COUNTED}
      ) waiting
    ) r, (
      select count(*)::integer as overdue, wire_time(min(publish_at)) as "overdueSince" from (
        select p.publish_at from ${postTitles} p
        where p.site_id = s.id and p.publish_at < now() - ${LATE}::interval
        order by p.publish_at limit ${COUNTED}
      ) late
    ) o, (
      select count(*)::integer as failed, count(*) filter (where state = 'delivered')::integer as arrived from (
        select distinct on (e.id) e.state from (
          select d.event_id from ${webhookDeliveries} d
          where d.site_id = s.id and d.error is not null and d.attempted_at >= ${sinceYesterday(now).toISOString()}::timestamptz
          order by d.attempted_at desc limit ${COUNTED}
        ) d join ${webhookEvents} e on e.id = d.event_id and e.event in ${contentEventKinds}
      ) events
    ) f`
}

/** 3 for the worst, 0 for a site with nothing to say. `t` is a row with the troubles. */
export function severityOf(t: SQL): SQL<number> {
  const cases = severities.map((severity, at) => {
    const some = troubles.filter((trouble) => TROUBLES[trouble] === severity)
    const isAny = sql.join(
      some.map((trouble) => sql`${t}.${sql.identifier(trouble)} > 0`),
      sql` or `,
    )
    return sql`when ${isAny} then ${sql.raw(String(severities.length - at))}`
  })
  return sql`case ${sql.join(cases, sql` `)} else 0 end`
}
