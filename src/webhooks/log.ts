/** The log of deliveries: a row an attempt, written before the POST and completed after it. */
import { and, desc, eq, sql } from 'drizzle-orm'
import { z } from 'zod'
import type { Context } from '../context.ts'
import { webhookDeliveries, webhookEvents } from '../db/schema.ts'
import { after, cutPage, type Paging } from '../paging.ts'
import { wireTime } from '../time.ts'
import { failures, type Outcome } from './send.ts'

export const Delivery = z.object({
  id: z.uuid(),
  eventId: z.uuid(),
  event: z.string(),
  postId: z.uuid().nullable(),
  slug: z.string().nullable(),
  url: z.string(),
  status: z.int().nullable().describe("The receiver's HTTP status; null when none arrived"),
  error: z.enum([...failures, 'endpoint_removed', 'interrupted']).nullable(),
  durationMs: z.int().nullable(),
  attemptedAt: z.iso.datetime(),
})

/**
 * Claims an event: of all who try, one gets the new log row's id, and only that one may POST.
 *
 * @returns null when the event is claimed or finished already
 */
export async function claim(ctx: Context, eventId: string, url: string): Promise<string | null> {
  const result = await ctx.db.execute(sql`
    with claimed as (
      update ${webhookEvents} set state = 'sending', claimed_at = now()
      where id = ${eventId} and state = 'pending'
      returning id, site_id
    )
    insert into ${webhookDeliveries} (event_id, site_id, url)
    select id, site_id, ${url} from claimed
    returning id`)
  return (result.rows[0] as { id: string } | undefined)?.id ?? null
}

/** Completes the log row and the event, unless the sweep has given the attempt up meanwhile. */
export async function complete(
  ctx: Context,
  deliveryId: string,
  outcome: Omit<Outcome, 'error'> & { error: z.infer<typeof Delivery>['error'] },
): Promise<void> {
  await ctx.db.execute(sql`
    with completed as (
      update ${webhookDeliveries}
      set status = ${outcome.status}::integer, error = ${outcome.error}::text, duration_ms = ${outcome.durationMs}::integer
      where id = ${deliveryId} and error is null and status is null
      returning event_id
    )
    update ${webhookEvents} set state = ${outcome.error ? 'failed' : 'delivered'}, finished_at = now()
    where id in (select event_id from completed)`)
}

/** Newest first, a page at a time. */
export async function listDeliveries(ctx: Context, site: { id: string }, paging: Paging) {
  const rows = await ctx.db
    .select({
      id: webhookDeliveries.id,
      eventId: webhookDeliveries.eventId,
      event: webhookEvents.event,
      postId: webhookEvents.postId,
      slug: webhookEvents.slug,
      url: webhookDeliveries.url,
      status: webhookDeliveries.status,
      error: webhookDeliveries.error,
      durationMs: webhookDeliveries.durationMs,
      attemptedAt: webhookDeliveries.attemptedAt,
    })
    .from(webhookDeliveries)
    .innerJoin(webhookEvents, eq(webhookEvents.id, webhookDeliveries.eventId))
    .where(
      and(
        eq(webhookDeliveries.siteId, site.id),
        after(paging.cursor, webhookDeliveries.attemptedAt, webhookDeliveries.id),
      ),
    )
    .orderBy(desc(webhookDeliveries.attemptedAt), desc(webhookDeliveries.id))
    .limit(paging.limit + 1)
  return cutPage(
    rows,
    paging,
    (row) => row.attemptedAt,
    (row) => ({ ...row, attemptedAt: wireTime(row.attemptedAt) }) as z.infer<typeof Delivery>,
  )
}
