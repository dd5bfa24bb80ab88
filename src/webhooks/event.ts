/**
 * Events: the transactional outbox. A row is the event; its queue message is only a wake-up, and the sweep sends another
 * when it was lost.
 */

import { and, desc, eq, type SQL, sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import { prune } from '../db/parts.ts'
import { eventStates, posts, sites, webhookEndpoints, webhookEvents } from '../db/schema.ts'
import { isOfSites } from '../db/site-pages.ts'
import { writeAs } from '../db/write.ts'
import type { Context } from '../foundation/context.ts'
import { RETENTION_DAYS } from '../foundation/limits.ts'
import { describeError } from '../foundation/log.ts'
import { afterCursor, cutPage, type Paging } from '../foundation/paging.ts'
import { wireTime } from '../foundation/time.ts'
import { wireShape } from '../foundation/wire-shape.ts'
import { markSite } from '../freshness/marks.ts'
import { events, type Payload, payloadJson, postEventKinds } from './event-kinds.ts'

/** Queues' limit for `sendBatch`. */
const MAX_MESSAGES_PER_BATCH = 100
const MAX_EVENTS_PER_SWEEP = 1_000
/** Time enough for the first message to arrive. */
const OVERDUE_AFTER = '30 seconds'

export const Event = /* @__PURE__ */ wireShape(() =>
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

/**
 * An INSERT for a data-modifying CTE: the events of the posts that the statement changes, whose rows as they are now are in
 * `changed`, of sites that have an endpoint. The statement does not see its own changes, so `posts` has them as they were.
 * Returns `id`, `event` and `post_id`.
 */
export function insertPostEvents(changed: SQL): SQL {
  const was = sql`was`
  const happened = postEventKinds.map(
    (event) => sql`
      select ${changed}.site_id, ${event}::text, ${changed}.id, ${changed}.slug, ${payloadJson(event, changed)}
      from ${changed} join ${webhookEndpoints} w on w.site_id = ${changed}.site_id
      left join ${posts} was on was.id = ${changed}.id
      where ${events[event].when(was, changed)}`,
  )
  return sql`
    insert into ${webhookEvents} (site_id, event, post_id, slug, payload) ${sql.join(happened, sql` union all `)}
    returning id, event, post_id`
}

/** Inserts a `webhook.test` event. @returns its id, or null when the site has no endpoint */
export async function insertTestEvent(ctx: Context, site: { id: string }): Promise<string | null> {
  const payload = JSON.stringify({
    event: 'webhook.test',
    siteId: site.id,
    at: new Date().toISOString(),
    message: 'This is a test of your webhook. No post has changed.',
  } satisfies Payload<'webhook.test'>)
  await markSite(ctx, site)
  const insertion = ctx.db.execute(sql`
    insert into ${webhookEvents} (site_id, event, payload)
    select s.id, 'webhook.test', ${payload}
    from ${webhookEndpoints} w join ${sites} s on s.id = w.site_id where w.site_id = ${site.id}
    for key share of s
    returning id`)
  const [result] = await writeAs(ctx, [insertion])
  return (result.rows[0] as { id: string } | undefined)?.id ?? null
}

/** Sends the queue messages of new events. A failure is only logged: the sweep finds the events in the outbox. */
export async function enqueueEvents(ctx: Context, eventIds: string[]): Promise<void> {
  try {
    await sendWakeUps(ctx, eventIds)
  } catch (error) {
    ctx.log('queue.unreachable', { eventIds, error: describeError(error) })
  }
}

async function sendWakeUps(ctx: Context, eventIds: string[]): Promise<void> {
  for (let from = 0; from < eventIds.length; from += MAX_MESSAGES_PER_BATCH) {
    const batch = eventIds.slice(from, from + MAX_MESSAGES_PER_BATCH)
    await ctx.queue.sendBatch(batch.map((eventId) => ({ body: { eventId } })))
  }
}

/**
 * Sends another message for each event that is still pending: the first one was lost, or never sent. Round-robin over
 * the sites, so that a site with many overdue events does not hold up the others.
 *
 * @param siteIds null for all sites
 * @returns how many
 */
export async function requeueOverdueEvents(
  ctx: Context,
  _now: Date,
  siteIds: string[] | null,
): Promise<number> {
  const { rows } = await ctx.db.execute(sql`
    select id from (
      select id, created_at, row_number() over (partition by site_id order by created_at) as rank
      from ${webhookEvents}
      where state = 'pending' and created_at < now() - ${OVERDUE_AFTER}::interval and ${isOfSites(siteIds)}
    ) overdue
    order by rank, created_at limit ${MAX_EVENTS_PER_SWEEP}`)
  const overdue = (rows as { id: string }[]).map(({ id }) => id)
  await sendWakeUps(ctx, overdue)
  return overdue.length
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
 * Deletes finished events older than 90 days, with their deliveries; not those of a draft that is still ready, which the API
 * shows. @returns how many
 */
export function pruneEvents(ctx: Context): Promise<number> {
  const isOld = sql`created_at < now() - ${`${RETENTION_DAYS} days`}::interval and state in ('delivered', 'failed')
    and not exists (select from ${posts} p
      where p.id = ${webhookEvents.postId} and p.status = 'draft' and p.ready_at <= ${webhookEvents.createdAt})`
  return prune(ctx, webhookEvents, isOld)
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
