/** An attempt's log row: inserted with the claim, completed after the POST, or closed by the sweep. */
import { sql } from 'drizzle-orm'
import type { Context } from '../context.ts'
import { webhookDeliveries, webhookEvents } from '../db/schema.ts'
import { isOfSites } from '../db/site-pages.ts'
import type { Outcome } from './outcome.ts'

/** Longer than an attempt can take: 8 s for the POST and three tries to write the outcome. */
const INTERRUPTED_AFTER = '1 minute'

/** An attempt without an outcome yet. */
const isOpen = sql`error is null and status is null`

/** Whether any attempt was delivered: such an event stays delivered, even if a resend fails. */
const wasDelivered = sql`exists (
  select from ${webhookDeliveries} d where d.event_id = e.id and d.error is null and d.status is not null
)`

/**
 * Claims an event and inserts the row of the attempt: a pending event, or for a resend (`manual`) a finished one. Of
 * competing attempts one gets the claim, and only that one may POST. Idempotent by `deliveryId`: repeat it when no
 * reply came.
 *
 * @returns whether this attempt holds the claim; false also when the sweep has closed it
 */
export async function claimEvent(
  ctx: Context,
  deliveryId: string,
  eventId: string,
  { url, headers }: { url: string; headers: Record<string, string> | null },
  { manual }: { manual: boolean },
): Promise<boolean> {
  const isClaimable = manual ? sql`state in ('delivered', 'failed')` : sql`state = 'pending'`
  // Two statements: if the first one waited for another claim, its snapshot does not show what that claim wrote.
  const [, claim] = await ctx.db.batch([
    ctx.db.execute(sql`
      with claimed as (
        update ${webhookEvents} set state = 'sending', claimed_at = now(), finished_at = null
        where id = ${eventId} and ${isClaimable}
        returning id, site_id
      )
      insert into ${webhookDeliveries} (id, event_id, site_id, url, request_headers, manual)
      select ${deliveryId}, id, site_id, ${url}, ${headers && JSON.stringify(headers)}::jsonb, ${manual}
      from claimed`),
    // A repeated claim restarts the minute after which the sweep closes the attempt.
    ctx.db.execute(sql`
      update ${webhookEvents} set claimed_at = now()
      where id = ${eventId} and state = 'sending'
        and exists (select from ${webhookDeliveries} where id = ${deliveryId} and ${isOpen})`),
  ])
  return claim.rowCount > 0
}

/** Writes the outcome to the row and finishes the event, unless the sweep has closed the attempt. */
export async function completeAttempt(ctx: Context, deliveryId: string, outcome: Outcome): Promise<void> {
  await ctx.db.execute(sql`
    with completed as (
      update ${webhookDeliveries}
      set status = ${outcome.status}::integer, error = ${outcome.error}::text,
        duration_ms = ${outcome.durationMs}::integer, answer_excerpt = ${outcome.answerExcerpt}::text
      where id = ${deliveryId} and ${isOpen}
      returning event_id
    )
    update ${webhookEvents} e set finished_at = now(),
      state = case when ${outcome.error === null} or ${wasDelivered} then 'delivered' else 'failed' end
    where id in (select event_id from completed)`)
}

/**
 * Closes attempts whose Worker died. They are not sent again, because the receiver may have got the POST.
 *
 * @param siteIds null for all sites
 * @returns how many
 */
export async function closeInterruptedAttempts(
  ctx: Context,
  _now: Date,
  siteIds: string[] | null,
): Promise<number> {
  const result = await ctx.db.execute(sql`
    with interrupted as (
      update ${webhookEvents} e set finished_at = now(),
        state = case when ${wasDelivered} then 'delivered' else 'failed' end
      where state = 'sending' and claimed_at < now() - ${INTERRUPTED_AFTER}::interval and ${isOfSites(siteIds)}
      returning id
    )
    update ${webhookDeliveries} set error = 'interrupted'
    where event_id in (select id from interrupted) and ${isOpen}`)
  return result.rowCount
}
