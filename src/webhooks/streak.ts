/**
 * Counts an endpoint's failures in a row, in the statement that writes an outcome. Raises an alert after ALERT_AFTER_FAILURES, and
 * another when a delivery succeeds again. Attempts of a Worker that died do not count.
 */
import { type SQL, sql } from 'drizzle-orm'
import type { Context } from '../context.ts'
import { describeError } from '../core/log.ts'
import { alerts, webhookEndpoints, webhookStreaks } from '../db/schema.ts'
import type { DeliveryError } from './outcome.ts'

/** A site gets at most one message an hour. */
export const ALERT_INTERVAL = '1 hour'

/** Raises an alert at the first failure, because only the operator can repair it. */
const AT_ONCE: DeliveryError = 'secret_undecryptable'

export type Raised = { siteId: string; waitSeconds: number }

const isThere = sql`exists (select from ${webhookEndpoints} w where w.id = f.endpoint_id)`

const details = (streak: SQL) => sql`jsonb_build_object('url', f.url, 'failures', ${streak}.failures,
  'since', wire_time(${streak}.since), 'status', f.status, 'error', f.error)`

/** CTEs that count `finished`: `site_id`, `endpoint_id`, `url`, `status` and `error` of an attempt. `raisedIn` reads the result. */
export function countStreak({ config }: Context, finished: SQL): SQL {
  const limit = config.ALERT_AFTER_FAILURES
  return sql`, failing as (
      insert into ${webhookStreaks} as s (endpoint_id, site_id, failures, alerted_after)
      select f.endpoint_id, f.site_id, 1, case when ${limit} <= 1 or f.error = ${AT_ONCE} then 1 end
      from ${finished} f where f.error is not null and ${isThere}
      on conflict (endpoint_id) do update set failures = s.failures + 1,
        alerted_after = coalesce(s.alerted_after, case when s.failures + 1 >= ${limit} or excluded.alerted_after = 1 then s.failures + 1 end)
      returning *
    ), recovered as (
      delete from ${webhookStreaks} s using ${finished} f
      where f.error is null and s.endpoint_id = f.endpoint_id returning s.*
    ), raised as (
      insert into ${alerts} as a (site_id, kind, endpoint_id, details)
      select f.site_id, 'webhook_failing', f.endpoint_id, ${details(sql`s`)}
      from ${finished} f join failing s on s.alerted_after = s.failures
      union all
      select f.site_id, 'webhook_recovered', f.endpoint_id, ${details(sql`s`)}
      from ${finished} f join recovered s on s.alerted_after is not null
      on conflict (site_id, endpoint_id, kind) where state = 'pending'
        do update set created_at = excluded.created_at, details = excluded.details
      returning a.site_id
    )
    ${selectRaised(sql`raised`)}`
}

/** `raised` is a CTE with `site_id`. */
export function selectRaised(raised: SQL): SQL {
  return sql`select r.site_id as "siteId", ceil(extract(epoch from greatest(interval '0', (
      select max(attempted_at) from ${alerts} where site_id = r.site_id) + ${ALERT_INTERVAL}::interval - now())))::integer as "waitSeconds"
    from ${raised} r`
}

export const raisedIn = ({ rows }: { rows: unknown[] }) => rows[0] as Raised | undefined

/** If the message is lost, the sweep sends another. */
export async function enqueueAlerts(ctx: Context, { siteId, waitSeconds }: Raised): Promise<void> {
  try {
    const delaySeconds = waitSeconds && waitSeconds + 1
    await ctx.queue.send({ kind: 'alerts', siteId }, { delaySeconds })
  } catch (error) {
    ctx.log('queue.unreachable', { siteId, error: describeError(error) })
  }
}
