/** An attempt's log row: inserted with the claim, completed after the POST, or closed by the sweep. */
import { type SQL, sql } from 'drizzle-orm'
import type { Context } from '../context.ts'
import { alerts, webhookDeliveries, webhookEndpoints, webhookEvents, webhookStreaks } from '../db/schema.ts'
import { isOfSites } from '../db/site-pages.ts'
import { writeAs } from '../db/write.ts'
import type { Sweep } from '../freshness/sweep.ts'
import type { DeliveryError, Outcome } from './outcome.ts'
import { type Raised, SELECT_RAISED } from './raised-alert.ts'

/** Longer than attempts can take: a POST, and three tries to write the outcome. */
const INTERRUPTED_AFTER = '1 minute'

/** Only the operator can repair it. */
const ALERTS_AT_ONCE: DeliveryError = 'secret_undecryptable'

const isUndecided = sql`d.error is null and d.status is null`

/** A delivered event stays delivered, even if a resend fails. */
const wasDelivered = sql`exists (
  select from ${webhookDeliveries} d where d.event_id = e.id and d.error is null and d.status is not null
)`

/** Headers are null if nothing may be sent. */
export type Claim = {
  deliveryId: string
  eventId: string
  url: string
  headers: Record<string, string> | null
}

/** `pending` for first attempts and resends of failed events, `finished` for the resend of one event. */
export type Claimable = 'pending' | 'finished'

const claimable = (which: Claimable): SQL =>
  which === 'pending' ? sql`e.state = 'pending'` : sql`e.state in ('delivered', 'failed')`

/** Only one of competing attempts gets the claim and may POST. Idempotent by `deliveryId`: repeat it if there was no reply. */
export async function claimEvent(ctx: Context, claim: Claim, which: Claimable): Promise<boolean> {
  const { deliveryId, eventId, url, headers } = claim
  const isResend = which === 'finished'
  // Two statements: if the first waits for another claim, its snapshot does not show what that claim wrote.
  const [, claimed] = await writeAs(ctx, [
    ctx.db.execute(sql`
      with claimed as (
        update ${webhookEvents} e set state = 'sending', claimed_at = now(), finished_at = null
        where e.id = ${eventId} and ${claimable(which)}
        returning e.id, e.site_id, case when not ${isResend} then e.resend_id end as resend_id
      )
      insert into ${webhookDeliveries} (id, event_id, site_id, url, request_headers, manual, resend_id)
      select ${deliveryId}, id, site_id, ${url}, ${headers && JSON.stringify(headers)}::jsonb,
        ${isResend} or resend_id is not null, resend_id
      from claimed`),
    // A repeated claim restarts the minute after which the sweep closes the attempt.
    ctx.db.execute(sql`
      update ${webhookEvents} e set claimed_at = now()
      from ${webhookDeliveries} d
      where d.id = ${deliveryId} and e.id = d.event_id and e.state = 'sending' and ${isUndecided}`),
  ])
  return claimed.rowCount > 0
}

/**
 * Writes the outcome, counts the endpoint's failures in a row, and raises an alert after ALERT_AFTER_FAILURES of them and when a
 * delivery succeeds again. Does nothing if the sweep has closed the attempt: attempts of a Worker that died do not count.
 */
export async function completeAttempt(
  ctx: Context,
  { deliveryId, ...outcome }: Outcome & { deliveryId: string },
): Promise<Raised | undefined> {
  const { hasAlerts, ALERT_AFTER_FAILURES: limit } = ctx.config
  const { rows } = await ctx.db.execute(sql`
    with completed as (
      update ${webhookDeliveries} d
      set status = ${outcome.status}, error = ${outcome.error}, duration_ms = ${outcome.durationMs},
        answer_excerpt = ${outcome.answerExcerpt}, answer_truncated = ${outcome.answerTruncated},
        answer_headers = ${outcome.answerHeaders && JSON.stringify(outcome.answerHeaders)}::jsonb
      where d.id = ${deliveryId} and ${isUndecided}
      returning d.event_id, d.site_id, d.url, d.status, d.error
    ),
    finished as (
      update ${webhookEvents} e set finished_at = now(),
        state = case when c.error is null or ${wasDelivered} then 'delivered' else 'failed' end
      from completed c where e.id = c.event_id
      returning c.site_id, e.endpoint_id, c.url, c.status, c.error
    ),
    counted as (
      select f.* from finished f join ${webhookEndpoints} w on w.id = f.endpoint_id where ${hasAlerts}
    ),
    failing as (
      insert into ${webhookStreaks} as s (endpoint_id, site_id, failures, alerted_after)
      select endpoint_id, site_id, 1, case when ${limit} <= 1 or error = ${ALERTS_AT_ONCE} then 1 end
      from counted where error is not null
      on conflict (endpoint_id) do update set failures = s.failures + 1,
        alerted_after = coalesce(s.alerted_after,
          case when s.failures + 1 >= ${limit} or excluded.alerted_after = 1 then s.failures + 1 end)
      returning *
    ),
    recovered as (
      delete from ${webhookStreaks} s using counted c
      where c.error is null and s.endpoint_id = c.endpoint_id
      returning s.*
    ),
    alerting as (
      select 'webhook_failing' as kind, * from failing where alerted_after = failures
      union all
      select 'webhook_recovered', * from recovered where alerted_after is not null
    ),
    raised as (
      insert into ${alerts} as a (site_id, kind, endpoint_id, details)
      select c.site_id, s.kind, c.endpoint_id, jsonb_build_object('url', c.url, 'failures', s.failures,
        'since', wire_time(s.since), 'status', c.status, 'error', c.error)
      from counted c join alerting s on s.endpoint_id = c.endpoint_id
      on conflict (site_id, endpoint_id, kind) where state = 'pending'
        do update set created_at = excluded.created_at, details = excluded.details
      returning a.site_id
    )
    ${SELECT_RAISED}`)
  return (rows as Raised[])[0]
}

/** Closes attempts whose Worker died. They are not resent, because the receiver may have got the POST. */
export async function closeInterruptedAttempts(
  ctx: Context,
  { siteIds }: Pick<Sweep, 'siteIds'>,
): Promise<number> {
  const result = await ctx.db.execute(sql`
    with interrupted as (
      update ${webhookEvents} e set finished_at = now(),
        state = case when ${wasDelivered} then 'delivered' else 'failed' end
      where state = 'sending' and claimed_at < now() - ${INTERRUPTED_AFTER}::interval and ${isOfSites(siteIds)}
      returning id
    )
    update ${webhookDeliveries} d set error = 'interrupted'
    where d.event_id in (select id from interrupted) and ${isUndecided}`)
  return result.rowCount
}
