/** Counts an endpoint's failures in a row. If alerts have a target, raises one when there are many and when a delivery succeeds again. */
import { type SQL, sql } from 'drizzle-orm'
import type { Context } from '../context.ts'
import {
  alertSettings,
  alerts,
  webhookDeliveries,
  webhookEndpoints,
  webhookEvents,
  webhookStreaks,
} from '../db/schema.ts'
import type { DeliveryError, Outcome } from './outcome.ts'
import { hasTarget, SELECT_RAISED } from './raised-alert.ts'

/** Only the operator can repair it. */
const ALERTS_AT_ONCE: DeliveryError = 'secret_undecryptable'

/** `ofDelivery` finds the delivery `d` while it has no outcome. The rows are `Raised`. */
export function countOutcome(ctx: Context, { status, error }: Outcome, ofDelivery: SQL) {
  const limit = sql`coalesce((select after_failures from ${alertSettings}), ${ctx.config.ALERT_AFTER_FAILURES}::integer)`
  const hasFailed = error !== null
  return ctx.db.execute(sql`
    with delivery as (
      select d.site_id, e.endpoint_id, d.url, w.name, ${hasTarget(ctx)} as is_alerting
      from ${webhookDeliveries} d
      join ${webhookEvents} e on e.id = d.event_id
      join ${webhookEndpoints} w on w.id = e.endpoint_id
      where ${ofDelivery}
    ),
    failing as (
      insert into ${webhookStreaks} as s (endpoint_id, site_id, failures, alerted_after)
      select endpoint_id, site_id, 1,
        case when is_alerting and (${limit} <= 1 or ${error === ALERTS_AT_ONCE}::boolean) then 1 end
      from delivery where ${hasFailed}
      on conflict (endpoint_id) do update set failures = s.failures + 1,
        alerted_after = coalesce(s.alerted_after,
          case when ${hasTarget(ctx)} and (s.failures + 1 >= ${limit} or excluded.alerted_after = 1) then s.failures + 1 end)
      returning *
    ),
    recovered as (
      delete from ${webhookStreaks} s using delivery d
      where not ${hasFailed} and s.endpoint_id = d.endpoint_id
      returning s.*
    ),
    alerting as (
      select 'webhook_failing' as kind, * from failing where alerted_after = failures
      union all
      select 'webhook_recovered', * from recovered where alerted_after is not null
    ),
    raised as (
      insert into ${alerts} as a (site_id, kind, endpoint_id, details)
      select d.site_id, s.kind, d.endpoint_id, jsonb_build_object('name', d.name, 'url', d.url, 'failures', s.failures,
        'since', wire_time(s.since), 'status', ${status}::integer, 'error', ${error}::text)
      from delivery d join alerting s on s.endpoint_id = d.endpoint_id
      where d.is_alerting
      on conflict (site_id, endpoint_id, kind) where state = 'pending'
        do update set created_at = excluded.created_at, details = excluded.details
      returning a.site_id
    )
    ${SELECT_RAISED}`)
}
