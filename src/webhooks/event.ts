/** Events: the outbox, how they get into it, and how the sweep finds those that got stuck. */
import { and, desc, eq, type SQL, sql } from 'drizzle-orm'
import { z } from 'zod'
import type { Context } from '../context.ts'
import { eventStates, webhookEndpoints, webhookEvents } from '../db/schema.ts'
import { afterCursor, cutPage, type Paging } from '../paging.ts'
import { wireTime } from '../time.ts'

const MESSAGES_PER_SEND = 100
const SWEPT_AT_ONCE = 1_000
/** The queue has had its chance by then. */
const OVERDUE_AFTER = '30 seconds'
const KEPT_FOR = '90 days'

export const Event = z.object({
  id: z.uuid(),
  event: z.string(),
  postId: z.uuid().nullable(),
  slug: z.string().nullable(),
  state: z.enum(eventStates),
  createdAt: z.iso.datetime(),
  finishedAt: z.iso.datetime().nullable(),
})

/**
 * An INSERT for a data-modifying query: an `article.ready` event for each row of `changed` whose site has an
 * endpoint. `payload` is the JSON to send, as an SQL expression of type text over that row.
 */
export function insertArticleReady(changed: SQL, payload: SQL): SQL {
  return sql`
    insert into ${webhookEvents} (site_id, event, post_id, slug, payload)
    select ${changed}.site_id, 'article.ready', ${changed}.id, ${changed}.slug, ${payload}
    from ${changed} join ${webhookEndpoints} w on w.site_id = ${changed}.site_id
    returning id`
}

/** Newest first, a page at a time. */
export async function listEvents(ctx: Context, site: { id: string }, paging: Paging) {
  const rows = await ctx.db
    .select()
    .from(webhookEvents)
    .where(
      and(
        eq(webhookEvents.siteId, site.id),
        afterCursor(paging.cursor, webhookEvents.createdAt, webhookEvents.id),
      ),
    )
    .orderBy(desc(webhookEvents.createdAt), desc(webhookEvents.id))
    .limit(paging.limit + 1)
  return cutPage(rows, paging, (row) => row.createdAt, toEvent)
}

/**
 * Wakes the queue for events that nobody has claimed: their message was lost, or never sent. Sites take turns, so
 * that one whose events cannot be sent leaves room for the others.
 */
export async function wakeOverdue(ctx: Context): Promise<number> {
  const { rows } = await ctx.db.execute(sql`
    select id from (
      select id, created_at, row_number() over (partition by site_id order by created_at) as turn
      from ${webhookEvents}
      where state = 'pending' and created_at < now() - ${OVERDUE_AFTER}::interval
    ) overdue
    order by turn, created_at limit ${SWEPT_AT_ONCE}`)
  const overdue = rows as { id: string }[]
  for (let from = 0; from < overdue.length; from += MESSAGES_PER_SEND) {
    const messages = overdue
      .slice(from, from + MESSAGES_PER_SEND)
      .map(({ id }) => ({ body: { eventId: id } }))
    await ctx.queue.sendBatch(messages)
  }
  return overdue.length
}

/** Forgets events, with their deliveries, that are older than 90 days. */
export async function pruneEvents(ctx: Context): Promise<number> {
  const result = await ctx.db.execute(sql`
    delete from ${webhookEvents}
    where created_at < now() - ${KEPT_FOR}::interval and state in ('delivered', 'failed')`)
  return result.rowCount
}

function toEvent(row: typeof webhookEvents.$inferSelect): z.infer<typeof Event> {
  return {
    id: row.id,
    event: row.event,
    postId: row.postId,
    slug: row.slug,
    state: row.state,
    createdAt: wireTime(row.createdAt),
    finishedAt: wireTime(row.finishedAt),
  }
}
