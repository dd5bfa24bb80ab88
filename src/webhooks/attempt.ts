/** An attempt's log row: inserted with the claim, completed after the POST, or closed by the sweep. */
import { type SQL, sql } from 'drizzle-orm'
import type { Context } from '../context.ts'
import { webhookDeliveries, webhookEvents } from '../db/schema.ts'
import { isOfSites } from '../db/site-pages.ts'
import { writeAs } from '../db/write.ts'
import type { Sweep } from '../freshness/sweep.ts'
import type { Outcome } from './outcome.ts'
import { countStreak, type Raised, raisedIn } from './streak.ts'

/** Longer than attempts can take: a POST, and three tries to write the outcome. */
const INTERRUPTED_AFTER = '1 minute'

const isOpen = sql`d.error is null and d.status is null`

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
      where d.id = ${deliveryId} and e.id = d.event_id and e.state = 'sending' and ${isOpen}`),
  ])
  return claimed.rowCount > 0
}

/** Does nothing if the sweep has closed the attempt. @returns the alert that the outcome raises */
export async function completeAttempt(
  ctx: Context,
  outcome: Outcome & { deliveryId: string },
): Promise<Raised | undefined> {
  const finishing = sql`update ${webhookEvents} e set finished_at = now(),
      state = case when c.has_arrived or ${wasDelivered} then 'delivered' else 'failed' end
    from completed c where e.id = c.event_id`
  const completed = await ctx.db.execute(sql`
    with completed as (
      update ${webhookDeliveries} d
      set status = g.status, error = g.error, duration_ms = g."durationMs", answer_excerpt = g."answerExcerpt",
        answer_truncated = g."answerTruncated", answer_headers = nullif(g."answerHeaders", 'null')
      from jsonb_to_record(${JSON.stringify(outcome)}::jsonb) as g ("deliveryId" uuid, status integer, error text,
        "durationMs" integer, "answerExcerpt" text, "answerTruncated" boolean, "answerHeaders" jsonb)
      where d.id = g."deliveryId" and ${isOpen}
      returning d.event_id, d.error is null as has_arrived, d.site_id, d.url, d.status, d.error
    )
    ${ctx.config.hasAlerts ? andCount(ctx, finishing) : finishing}`)
  return raisedIn(completed)
}

const andCount = (ctx: Context, finishing: SQL) => sql`, finished as (
      ${finishing}
      returning c.site_id, e.endpoint_id, c.url, c.status, c.error
    )${countStreak(ctx, sql`finished`)}`

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
    where d.event_id in (select id from interrupted) and ${isOpen}`)
  return result.rowCount
}
