/** The transactional outbox. A row is the event. Its queue message is only a wake-up, and the sweep replaces a lost one. */

import { and, desc, eq, type SQL, sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import type { Context } from '../context.ts'
import { wireTime } from '../core/time.ts'
import { responseSchema } from '../core/zod.ts'
import { prune } from '../db/batches.ts'
import { afterCursor, cutPage, type Paging } from '../db/paging.ts'
import { eventStates, guides, posts, webhookEvents } from '../db/schema.ts'
import { isOfSites } from '../db/site-pages.ts'
import { MAX_AT_ONCE, sendEventMessages } from '../freshness/event-messages.ts'
import type { Sweep } from '../freshness/sweep.ts'
import type { QueueMessage } from '../queue-message.ts'

const MAX_EVENTS_PER_SWEEP = 1_000
/** Gives the first message time to arrive. */
const OVERDUE_AFTER = '30 seconds'

export const Event = /* @__PURE__ */ responseSchema(() =>
  z
    .object({
      id: z.uuid(),
      event: z.string(),
      postId: z.nullable(z.uuid()),
      slug: z.nullable(z.string()),
      state: z.enum(eventStates),
      createdAt: z.iso.datetime(),
      finishedAt: z.nullable(z.iso.datetime()),
    })
    .register(z.globalRegistry, { id: 'Event' }),
)

/** SQL: the current title or slug of the post or guide of an event `e`. Null for a test or once it is deleted. */
export function currentOf(column: 'title' | 'slug', e: SQL | typeof webhookEvents) {
  const inTable = (table: typeof posts | typeof guides) =>
    sql`(select a.${sql.raw(column)} from ${table} a where a.site_id = ${e}.site_id and a.id = ${e}.resource_id)`
  return sql<
    string | null
  >`case ${e}.resource when 'post' then ${inTable(posts)} when 'guide' then ${inTable(guides)} end`
}

/** Enqueues the site's next events, and a message that enqueues more if the batch is full. */
export async function enqueueNextEvents(ctx: Context, siteId: string): Promise<void> {
  const { rows } = await ctx.db.execute(sql`
    update ${webhookEvents} e set claimed_at = now()
    where e.state = 'pending' and e.claimed_at is null and e.id in (
      select id from ${webhookEvents}
      where site_id = ${siteId} and state = 'pending' and claimed_at is null
      order by created_at, id limit ${MAX_AT_ONCE})
    returning e.id`)
  const messages = (rows as { id: string }[]).map(({ id }): QueueMessage => ({ kind: 'event', eventId: id }))
  // In the middle, because consumers wait a second to fill the last batch.
  if (messages.length === MAX_AT_ONCE) messages.splice(MAX_AT_ONCE / 2, 0, { kind: 'events', siteId })
  if (messages.length > 0) await ctx.queue.sendBatch(messages.map((body) => ({ body })))
}

/** Replaces lost messages. Round-robin over sites, so that a site with many overdue events does not delay the others. */
export async function requeueOverdueEvents(
  ctx: Context,
  { siteIds }: Pick<Sweep, 'siteIds'>,
): Promise<number> {
  const { rows } = await ctx.db.execute(sql`
    select id from (
      select id, created_at, row_number() over (partition by site_id order by created_at) as rank
      from ${webhookEvents}
      where state = 'pending' and coalesce(claimed_at, created_at) < now() - ${OVERDUE_AFTER}::interval
        and created_at < now() - ${OVERDUE_AFTER}::interval and ${isOfSites(siteIds)}
    ) overdue
    order by rank, created_at limit ${MAX_EVENTS_PER_SWEEP}`)
  const overdue = (rows as { id: string }[]).map(({ id }) => id)
  await sendEventMessages(ctx, overdue)
  return overdue.length
}

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

/** Deletes old finished events and their deliveries. Keeps those of drafts that are still ready, because the API shows them. */
export function pruneEvents(ctx: Context): Promise<number> {
  const isOld = sql`created_at < now() - ${`${ctx.config.RETENTION_DELIVERY_DAYS} days`}::interval and state in ('delivered', 'failed')
    and not exists (select from ${posts} p
      where p.id = ${webhookEvents.resourceId} and p.status = 'draft' and p.ready_at <= ${webhookEvents.createdAt})`
  return prune(ctx, webhookEvents, isOld)
}

function toEvent(row: typeof webhookEvents.$inferSelect): z.infer<typeof Event> {
  return {
    id: row.id,
    event: row.event,
    postId: row.resource === 'post' ? row.resourceId : null,
    slug: row.slug,
    state: row.state,
    createdAt: wireTime(row.createdAt),
    finishedAt: row.state === 'pending' ? null : wireTime(row.finishedAt),
  }
}
