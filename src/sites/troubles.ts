/** Problems and pending work of a site, for the query, the overviews and the site list. Caps bound the cost of a site with many. */
import { type SQL, sql } from 'drizzle-orm'
import { alerts, apiKeys, postTitles, webhookEndpoints, webhookEvents, webhookStreaks } from '../db/schema.ts'
import { contentEventKinds } from '../webhooks/event-kinds.ts'

/** Unbounded counts stop here. */
export const MAX_COUNTED = 100
export const FAILING_DAYS = 7
export const EXPIRING_DAYS = 14
/** Drafts are published each minute, and a large batch takes several runs. */
const LATE = '5 minutes'
/** Fewer failures in a row only show up as undelivered events. */
export const IN_A_ROW = 3
/** The used share of a quota that triggers the warning. */
const NEAR = 0.8

/** `danger`: readers or receivers are affected. `warning`: they soon will be. `waiting`: somebody should take a look. */
export const severities = ['danger', 'warning', 'waiting'] as const

/** In display order. Each is a number, where 0 means none. */
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
} as const satisfies Record<string, (typeof severities)[number]>

export type Trouble = keyof typeof TROUBLES
export const troubles = Object.keys(TROUBLES) as Trouble[]

/** A trouble is not shown beside these: a site that is being deleted shows only that, and failed deliveries name the webhooks that keep failing. */
export const hiddenBy = (trouble: Trouble): Trouble[] =>
  trouble === 'deletion' ? [] : trouble === 'streak' ? ['deletion', 'failing'] : ['deletion']

export type SiteTroubles = Record<Trouble, number> & {
  /** The used share of the fullest quota. Null when unknown. */
  share: number | null
  readySince: string | null
  overdueSince: string | null
  /** The webhooks that keep failing, the longest streak first. */
  streakWebhooks: string[] | null
  expiresFirst: string | null
  expiringKey: string | null
}

/** The columns of a lateral query per site `s`. `share` is its used quota. */
export function selectTroubles(share: SQL): SQL {
  const countOf = (rows: SQL) => sql`(select count(*)::integer from (${rows} limit ${MAX_COUNTED}) counted)`
  const isLive = sql`k.site_id = s.id and k.revoked_at is null and coalesce(k.expires_at > now(), true)`
  const isExpiring = sql`${isLive} and k.expires_at < now() + make_interval(days => ${EXPIRING_DAYS})`
  return sql`select
    ${countOf(sql`select from ${webhookEvents} e
      where e.site_id = s.id and e.state = 'failed' and e.event in ${contentEventKinds}
        and e.finished_at > now() - make_interval(days => ${FAILING_DAYS})`)} as failing,
    w.streak, w."streakWebhooks",
    (coalesce(${share}, 0) >= 1)::integer as "usedUp",
    (coalesce(${share}, 0) >= ${NEAR} and ${share} < 1)::integer as "nearQuota",
    ${countOf(sql`select from ${alerts} a
      where a.site_id = s.id and a.state = 'failed' and a.created_at > now() - make_interval(days => ${FAILING_DAYS})`)} as unsent,
    (s.deletion_started_at is not null)::integer as deletion,
    k.expiring, k."expiresFirst", k."expiringKey",
    r.ready, r."readySince", o.overdue, o."overdueSince",
    ${countOf(sql`select from ${postTitles} p
      where p.site_id = s.id and p.changes_requested order by p.updated_at`)} as changes
    from (
      select count(*) filter (where ${isExpiring})::integer as expiring,
        wire_time(min(k.expires_at) filter (where ${isExpiring})) as "expiresFirst",
        (array_agg(k.name order by k.expires_at) filter (where ${isExpiring}))[1] as "expiringKey"
      from ${apiKeys} k where k.site_id = s.id
    ) k, (
      select coalesce(max(w.failures), 0) as streak,
        array_agg(coalesce(e.name, split_part(e.url, '/', 3), 'A webhook') order by w.failures desc) as "streakWebhooks"
      from ${webhookStreaks} w left join ${webhookEndpoints} e on e.id = w.endpoint_id
      where w.site_id = s.id and w.failures >= ${IN_A_ROW}
    ) w, (
      select count(*)::integer as ready, wire_time(min(ready_at)) as "readySince" from (
        select p.ready_at from ${postTitles} p
        where p.site_id = s.id and p.ready_at is not null and p.status = 'draft'
        order by p.updated_at limit ${MAX_COUNTED}
      ) waiting
    ) r, (
      select count(*)::integer as overdue, wire_time(min(publish_at)) as "overdueSince" from (
        select p.publish_at from ${postTitles} p
        where p.site_id = s.id and p.publish_at < now() - ${LATE}::interval
        order by p.publish_at limit ${MAX_COUNTED}
      ) late
    ) o`
}

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
