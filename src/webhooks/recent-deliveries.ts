/** The deliveries of a site's webhooks in the last days and hours, for the console. */
import { sql } from 'drizzle-orm'
import type { Context } from '../context.ts'
import { DAY_MS, HOUR_MS, utcDay } from '../core/time.ts'
import { webhookDeliveries, webhookEndpoints, webhookEvents, webhookStreaks } from '../db/schema.ts'
import { MAX_COUNTED_EVENTS } from './event-log.ts'

/** Today and the UTC days before it. */
export const RECENT_DAYS = 7
/** Older failures of a webhook are not found if the others have failed that often since. */
const MAX_FAILURES = 1_000

export type DeliveryCounts = {
  /** Events of the days that have arrived, and those that have not. */
  arrived: number
  failed: number
  days: { day: string; counts: [arrived: number, failed: number] }[]
}

export type RecentDeliveries = DeliveryCounts & {
  lastFailedAt: string | null
  /** Failures since the last delivery. */
  streak: number
  /** The first of the streak. */
  failingSince: string | null
}

/** Query for a batch, a row for each webhook. Counts the newest `MAX_COUNTED_EVENTS` of the site. */
export function selectRecentDeliveries({ db }: Context, site: { id: string }, now: Date) {
  const [first] = recentDays(now)
  return db.execute(sql`
    with days as materialized (
      select endpoint_id, (created_at at time zone 'UTC')::date as day, count(*) filter (where state = 'delivered') as arrived,
        count(*) filter (where state = 'failed') as failed
      from (
        select endpoint_id, created_at, state from ${webhookEvents}
        where site_id = ${site.id} and created_at >= ${first}::timestamp at time zone 'UTC'
        order by created_at desc limit ${MAX_COUNTED_EVENTS}
      ) newest group by 1, 2
    ),
    failures as (
      select e.endpoint_id, max(d.attempted_at) as at from (
        select event_id, attempted_at from ${webhookDeliveries}
        where site_id = ${site.id} and error is not null order by attempted_at desc limit ${MAX_FAILURES}
      ) d join ${webhookEvents} e on e.id = d.event_id group by 1
    )
    select w.id, wire_time(f.at) as "lastFailedAt", coalesce(s.failures, 0) as streak, wire_time(s.since) as "failingSince",
      (select coalesce(json_agg(d), '[]') from days d where d.endpoint_id = w.id) as days
    from ${webhookEndpoints} w left join failures f on f.endpoint_id = w.id
      left join ${webhookStreaks} s on s.endpoint_id = w.id
    where w.site_id = ${site.id}`)
}

type Row = Omit<RecentDeliveries, keyof DeliveryCounts> & {
  id: string
  days: { day: string; arrived: number; failed: number }[]
}

/** By the id of the webhook. */
export function toRecentDeliveries({ rows }: { rows: unknown[] }, now: Date): Map<string, RecentDeliveries> {
  return new Map(
    (rows as Row[]).map(({ id, days, ...row }) => {
      const counts = recentDays(now).map((day): RecentDeliveries['days'][number] => {
        const { arrived, failed } = days.find((each) => each.day === day) ?? { arrived: 0, failed: 0 }
        return { day, counts: [arrived, failed] }
      })
      const sum = (at: 0 | 1) => counts.reduce((total, { counts }) => total + counts[at], 0)
      return [id, { ...row, arrived: sum(0), failed: sum(1), days: counts }]
    }),
  )
}

/** Null without a webhook. */
export function sumDeliveries(webhooks: DeliveryCounts[]): DeliveryCounts | null {
  if (webhooks.length === 0) return null
  return webhooks.reduce((sum, one) => ({
    arrived: sum.arrived + one.arrived,
    failed: sum.failed + one.failed,
    days: sum.days.map(({ day, counts: [arrived, failed] }, at) => {
      const [more, moreFailed] = one.days[at]!.counts
      return { day, counts: [arrived + more, failed + moreFailed] }
    }),
  }))
}

/** The current hour and those before it. */
export const RECENT_HOURS = 24

export type HourlyDeliveries = { hour: string; arrived: number; failed: number }[]

/** Query for a batch. Counts the newest `MAX_COUNTED_EVENTS` of the site. */
export function selectHourlyDeliveries({ db }: Context, site: { id: string }, now: Date) {
  const [first] = recentHours(now)
  return db.execute(sql`
    select wire_time(date_trunc('hour', created_at, 'UTC')) as hour,
      (count(*) filter (where state = 'delivered'))::integer as arrived,
      (count(*) filter (where state = 'failed'))::integer as failed
    from (
      select created_at, state from ${webhookEvents}
      where site_id = ${site.id} and created_at >= ${first}::timestamptz
      order by created_at desc limit ${MAX_COUNTED_EVENTS}
    ) newest group by 1`)
}

/** Oldest first, with hours without deliveries. */
export function toHourlyDeliveries({ rows }: { rows: unknown[] }, now: Date): HourlyDeliveries {
  const byHour = new Map((rows as HourlyDeliveries).map((row) => [Date.parse(row.hour), row]))
  return recentHours(now).map((hour) => byHour.get(Date.parse(hour)) ?? { hour, arrived: 0, failed: 0 })
}

const recentHours = (now: Date): string[] =>
  Array.from({ length: RECENT_HOURS }, (_, at) =>
    new Date((Math.floor(+now / HOUR_MS) - (RECENT_HOURS - 1 - at)) * HOUR_MS).toISOString(),
  )

const recentDays = (now: Date): string[] =>
  Array.from({ length: RECENT_DAYS }, (_, at) => utcDay(new Date(+now - (RECENT_DAYS - 1 - at) * DAY_MS)))
