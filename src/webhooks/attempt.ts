/** An attempt's log row: inserted with the claim, completed after the POST, or closed by the sweep. */
import { type SQL, sql } from 'drizzle-orm'
import { webhookDeliveries, webhookEvents } from '../db/schema.ts'
import { isOfSites } from '../db/site-pages.ts'
import { writeAs } from '../db/write.ts'
import type { Context } from '../foundation/context.ts'
import type { Outcome } from './outcome.ts'
import { countStreak, type Raised, raisedIn } from './streak.ts'

/** Longer than attempts can take: 40 s for the POSTs of a resend of many, and three tries to write the outcome. */
const INTERRUPTED_AFTER = '1 minute'

/** An attempt without an outcome yet. */
const isOpen = sql`d.error is null and d.status is null`

/** Whether any attempt was delivered: such an event stays delivered, even if a resend fails. */
const wasDelivered = sql`exists (
  select from ${webhookDeliveries} d where d.event_id = e.id and d.error is null and d.status is not null
)`

/** What an attempt would send. Headers are null if nothing may be sent. */
export type Claim = {
  deliveryId: string
  eventId: string
  url: string
  headers: Record<string, string> | null
}

/** Which events can be claimed: one for the first time; a finished one again; those that failed until then and have not arrived. */
export type Claimable = 'first' | 'again' | { failedUntil: Date }

const claimable = (which: Claimable): SQL => {
  if (which === 'first') return sql`e.state = 'pending'`
  if (which === 'again') return sql`e.state in ('delivered', 'failed')`
  return sql`e.state = 'failed' and e.finished_at <= ${which.failedUntil.toISOString()}::timestamptz`
}

/**
 * Claims events and inserts the rows of their attempts. Of competing attempts one gets the claim, and only that one may
 * POST. Idempotent by `deliveryId`: repeat it when no reply came.
 *
 * @returns the ids of the attempts that hold the claim; not of one that the sweep has closed
 */
export async function claimEvents(ctx: Context, claims: Claim[], which: Claimable): Promise<Set<string>> {
  const given = sql`jsonb_to_recordset(${JSON.stringify(claims)}::jsonb)
    as g ("deliveryId" uuid, "eventId" uuid, url text, headers jsonb)`
  // Two statements: if the first one waited for another claim, its snapshot does not show what that claim wrote.
  const [, claimed] = await writeAs(ctx, [
    ctx.db.execute(sql`
      with claimed as (
        update ${webhookEvents} e set state = 'sending', claimed_at = now(), finished_at = null
        from ${given} where e.id = g."eventId" and ${claimable(which)}
        returning e.id, e.site_id, g."deliveryId", g.url, g.headers
      )
      insert into ${webhookDeliveries} (id, event_id, site_id, url, request_headers, manual)
      select "deliveryId", id, site_id, url, nullif(headers, 'null'), ${which !== 'first'}
      from claimed`),
    // A repeated claim restarts the minute after which the sweep closes the attempt.
    ctx.db.execute(sql`
      update ${webhookEvents} e set claimed_at = now()
      from ${given} join ${webhookDeliveries} d on d.id = g."deliveryId"
      where e.id = g."eventId" and e.state = 'sending' and ${isOpen}
      returning d.id`),
  ])
  return new Set((claimed.rows as { id: string }[]).map(({ id }) => id))
}

/**
 * Writes an outcome to its row and finishes the event, unless the sweep has closed the attempt.
 *
 * @returns the alert that it raises, where alerts are set
 */
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
      returning c.site_id, coalesce(e.endpoint_id, c.site_id) as endpoint_id, c.url, c.status, c.error
    )${countStreak(ctx, sql`finished`)}`

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
    update ${webhookDeliveries} d set error = 'interrupted'
    where d.event_id in (select id from interrupted) and ${isOpen}`)
  return result.rowCount
}
