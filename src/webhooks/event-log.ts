/** The log of events, with one row per event and webhook and its last attempt. log.ts has every attempt. */
import { and, type SQL, sql } from 'drizzle-orm'
import type { Context } from '../context.ts'
import type { EventKind } from '../core/enums.ts'
import { cutPage, type Page, type Paging } from '../db/paging.ts'
import { type eventStates, webhookDeliveries, webhookEvents } from '../db/schema.ts'
import { currentOf } from './event.ts'
import { selectFoundEvents } from './event-search.ts'
import { type DeliveryError, NOTHING_SENT } from './outcome.ts'

type Site = { id: string }

export const MAX_COUNTED_EVENTS = 10_000
const MAX_CAUSES = 12

/** `failed` if any attempt failed. */
export const eventOutcomes = ['delivered', 'not_arrived', 'not_sent', 'under_way', 'failed'] as const

export type EventFilter = {
  outcome?: (typeof eventOutcomes)[number] | undefined
  /** Why the last attempt failed. */
  cause?: Cause | undefined
  /** The site's id for the first webhook. */
  webhook?: string | undefined
  event?: EventKind | undefined
  search?: string | null | undefined
  since?: Date | undefined
  until?: Date | undefined
}

/** `status` is only set for `http_status`. Null matches any. */
export type Cause = { error: DeliveryError; status: number | null }

export type LoggedEvent = {
  id: string
  event: EventKind
  webhookId: string
  slug: string | null
  /** The current title. */
  title: string | null
  state: (typeof eventStates)[number]
  createdAt: string
  attempts: number
  /** The last attempt. */
  attempt: {
    id: string
    url: string
    status: number | null
    error: DeliveryError | null
    durationMs: number | null
    attemptedAt: string
  } | null
}

const LAST = sql`lateral (
  select d.* from ${webhookDeliveries} d where d.event_id = e.id and d.site_id = e.site_id
  order by d.attempted_at desc, d.id desc limit 1) a`

/** Events `e`. Joins their last attempt `a` only if the filter needs it. */
function from(site: Site, filter: EventFilter): SQL {
  const { outcome, cause, webhook, event, search, since, until } = filter
  const needsLast = cause !== undefined || outcome === 'not_sent'
  const conditions = and(
    sql`e.site_id = ${site.id}`,
    outcome && hasOutcome(outcome),
    cause && sql`e.state = 'failed' and a.error = ${cause.error}`,
    cause && cause.status !== null ? sql`a.status = ${cause.status}` : undefined,
    webhook ? sql`e.endpoint_id = ${webhook}::uuid` : undefined,
    event && sql`e.event = ${event}`,
    search?.trim() ? sql`e.id in ${selectFoundEvents(site, search.trim())}` : undefined,
    since && sql`e.created_at >= ${since.toISOString()}::timestamptz`,
    until && sql`e.created_at < ${until.toISOString()}::timestamptz`,
  )
  return sql`from ${webhookEvents} e ${needsLast ? sql`cross join ${LAST}` : sql``} where ${conditions}`
}

function hasOutcome(outcome: NonNullable<EventFilter['outcome']>): SQL {
  if (outcome === 'delivered') return sql`e.state = 'delivered'`
  if (outcome === 'under_way') return sql`e.state in ('pending', 'sending')`
  if (outcome === 'not_arrived') return sql`e.state = 'failed'`
  if (outcome === 'not_sent') return sql`e.state = 'failed' and a.error in ${NOTHING_SENT}`
  return sql`exists (
    select from ${webhookDeliveries} d where d.event_id = e.id and d.site_id = e.site_id and d.error is not null)`
}

/** Query for a batch. `toEventPage` reads its rows. */
export function selectLoggedEvents({ db }: Context, site: Site, paging: Paging, filter: EventFilter) {
  const { cursor } = paging
  const after = cursor
    ? sql`and (e.created_at, e.id) < (${cursor.at.toISOString()}::timestamptz, ${cursor.id}::uuid)`
    : sql``
  return db.execute(sql`
    select e.id, e.event, e.endpoint_id as "webhookId", e.slug, ${currentOf('title', sql`e`)} as title, e.state,
      wire_time(e.created_at) as "createdAt",
      (select count(*)::integer from ${webhookDeliveries} d where d.event_id = e.id and d.site_id = e.site_id) as attempts,
      case when a.id is not null then json_build_object('id', a.id, 'url', a.url, 'status', a.status, 'error', a.error,
        'durationMs', a.duration_ms, 'attemptedAt', wire_time(a.attempted_at)) end as attempt
    from (select e.* ${from(site, filter)} ${after} order by e.created_at desc, e.id desc limit ${paging.limit + 1}) e
    left join ${LAST} on true
    order by e.created_at desc, e.id desc`)
}

export function toEventPage({ rows }: { rows: unknown[] }, paging: Paging): Page<LoggedEvent> {
  return cutPage(
    rows as LoggedEvent[],
    paging,
    (row) => new Date(row.createdAt),
    (row) => row,
  )
}

/** Query for a batch. Counts up to `MAX_COUNTED_EVENTS`. */
export function countLoggedEvents({ db }: Context, site: Site, filter: EventFilter) {
  return db.execute(sql`
    select count(*)::integer as count from (select ${from(site, filter)} limit ${MAX_COUNTED_EVENTS}) counted`)
}

/** Query for a batch. Covers the newest `MAX_COUNTED_EVENTS` matching events that failed. */
export function countCauses({ db }: Context, site: Site, filter: EventFilter) {
  const failed = { ...filter, cause: undefined, outcome: 'not_arrived' } as const
  return db.execute(sql`
    select a.error, case when a.error = 'http_status' then a.status end as status, count(*)::integer as count
    from (select e.id, e.site_id ${from(site, failed)} order by e.created_at desc, e.id desc limit ${MAX_COUNTED_EVENTS}) e
    cross join ${LAST}
    where a.error is not null
    group by 1, 2 order by 3 desc, 1, 2 limit ${MAX_CAUSES}`)
}

export type CauseCount = Cause & { count: number }

export type AdjacentDeliveries = { newer: string | null; older: string | null }

/** Query for a batch: the last attempts of the next newer and older event in a list. */
export function selectAdjacentDeliveries(
  { db }: Context,
  site: Site,
  deliveryId: string,
  filter: EventFilter,
) {
  const here = sql`(
    select h.created_at, h.id from ${webhookEvents} h join ${webhookDeliveries} d on d.event_id = h.id
    where h.site_id = ${site.id} and d.site_id = ${site.id} and d.id = ${deliveryId})`
  const next = (isThere: SQL, order: SQL) => sql`(
    select a.id from (select e.id, e.site_id ${from(site, filter)} and (e.created_at, e.id) ${isThere} ${here}
      and e.state <> 'pending' order by e.created_at ${order}, e.id ${order} limit 1) e cross join ${LAST})`
  return db.execute(sql`
    select ${next(sql`>`, sql`asc`)} as newer, ${next(sql`<`, sql`desc`)} as older`)
}
