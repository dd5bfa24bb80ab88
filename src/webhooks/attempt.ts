/** An attempt's log row: inserted with the claim, completed after the POST, or closed by the sweep. */
import { type SQL, sql } from 'drizzle-orm'
import type { Context } from '../context.ts'
import { webhookDeliveries, webhookEvents } from '../db/schema.ts'
import { isOfSites } from '../db/site-pages.ts'
import { writeAs } from '../db/write.ts'
import type { Sweep } from '../freshness/sweep.ts'
import type { Outcome } from './outcome.ts'
import type { Raised } from './raised-alert.ts'
import { countOutcome } from './streak.ts'

/** The age at which the sweep closes an attempt. Longer than claiming, POSTing and recording the outcome can take. */
export const INTERRUPTED_AFTER_MS = 60_000

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
 * Writes the outcome, and counts it for alerts. Does nothing if the sweep has closed the attempt: attempts of a Worker that died
 * do not count.
 */
export async function completeAttempt(
  ctx: Context,
  { deliveryId, ...outcome }: Outcome & { deliveryId: string },
): Promise<Raised | undefined> {
  const ofDelivery = sql`d.id = ${deliveryId} and ${isUndecided}`
  const complete = ctx.db.execute(sql`
    with completed as (
      update ${webhookDeliveries} d
      set status = ${outcome.status}, error = ${outcome.error}, duration_ms = ${outcome.durationMs},
        answer_excerpt = ${outcome.answerExcerpt}, answer_truncated = ${outcome.answerTruncated},
        answer_headers = ${outcome.answerHeaders && JSON.stringify(outcome.answerHeaders)}::jsonb
      where ${ofDelivery}
      returning d.event_id, d.error
    )
    update ${webhookEvents} e set finished_at = now(),
      state = case when c.error is null or ${wasDelivered} then 'delivered' else 'failed' end
    from completed c where e.id = c.event_id`)
  // The event comes first, as in the sweep, because they could deadlock otherwise.
  const lock = ctx.db.execute(sql`
    select from ${webhookEvents} e
    where e.id = (select event_id from ${webhookDeliveries} where id = ${deliveryId}) for no key update`)
  const [, { rows }] = await ctx.db.batch([lock, countOutcome(ctx, outcome, ofDelivery), complete])
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
      where state = 'sending' and claimed_at < now() - ${`${INTERRUPTED_AFTER_MS} ms`}::interval and ${isOfSites(siteIds)}
      returning id
    )
    update ${webhookDeliveries} d set error = 'interrupted'
    where d.event_id in (select id from interrupted) and ${isUndecided}`)
  return result.rowCount
}
