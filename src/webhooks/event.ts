/**
 * Events: the transactional outbox. A row is the event; its queue message is only a wake-up, and the sweep sends another
 * when it was lost.
 */

import { and, desc, eq, type SQL, sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import { prune } from '../db/parts.ts'
import {
  eventStates,
  posts,
  sites,
  tombstones,
  webhookEndpoints,
  webhookEvents,
  webhookFurtherEndpoints,
} from '../db/schema.ts'
import { isOfSites } from '../db/site-pages.ts'
import { writeAs } from '../db/write.ts'
import type { Context, QueueMessage } from '../foundation/context.ts'
import { RETENTION_DAYS } from '../foundation/limits.ts'
import { describeError } from '../foundation/log.ts'
import { afterCursor, cutPage, type Paging } from '../foundation/paging.ts'
import { wireTime } from '../foundation/time.ts'
import { wireShape } from '../foundation/wire-shape.ts'
import { markSite } from '../freshness/marks.ts'
import {
  events,
  isOptional,
  type Payload,
  type PostEventKind,
  payloadJson,
  postEventKinds,
} from './event-kinds.ts'

/** Queues' limit for `sendBatch`. */
const MAX_MESSAGES_PER_BATCH = 100
const MAX_EVENTS_PER_SWEEP = 1_000
/** Of one site: as many as an event has endpoints, of a few events. The messages of other sites come in between. */
const MAX_AT_ONCE = 20
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

/** Which events a statement inserts: with `none`, those that can be switched off are only counted. */
export type Sending = 'all' | 'none'

/** The endpoints of all sites, as the insertion of events needs them; `id` is null for the first one of a site. */
export const endpoints = sql`(
  select site_id, null::uuid as id, events from ${webhookEndpoints}
  union all select site_id, id, events from ${webhookFurtherEndpoints})`

const isWanted = (event: PostEventKind) =>
  isOptional(event) ? sql`${event}::text = any (w.events)` : sql`true`

/**
 * CTEs after that of `changed`, which has the posts that a statement changes as they are now: `event` inserts the events of the
 * change, one for each endpoint that wants it, and returns `id`, `event` and `post_id`, of a post those of the first endpoint first;
 * `unsent` has as many rows as events that could be switched off were not inserted. The statement does not see its own changes, so
 * `posts` has the rows as they were.
 * `isLater`: of a statement that follows others in its transaction, of which a post has its one event already.
 */
export function insertPostEvents(changed: SQL, sending: Sending, { isLater = false } = {}): SQL {
  const was = sql`was`
  const happened = (kinds: PostEventKind[], columns: (event: PostEventKind) => SQL) =>
    sql.join(
      kinds.map(
        (event) => sql`
      select ${columns(event)}
      from ${changed} join ${endpoints} w on w.site_id = ${changed}.site_id
      left join ${posts} was on was.id = ${changed}.id
      where ${isWanted(event)} and ${events[event].when(changed, was)} ${isLater ? sql`and ${isFirstOf(changed)}` : sql``}`,
      ),
      sql` union all `,
    )
  const row = (event: PostEventKind) =>
    sql`${changed}.site_id, w.id, ${event}::text, ${changed}.id, ${changed}.slug, ${payloadJson(event, changed, was)}`
  const sent = sending === 'all' ? changeKinds : changeKinds.filter((event) => !isOptional(event))
  const kept = changeKinds.filter((event) => !sent.includes(event))
  return sql`, event as (${insertion(happened(sent, row))})
    ${kept.length > 0 ? sql`, unsent as (${happened(kept, () => sql`${changed}.id as post_id`)})` : sql``}`
}

/** A statement after that which has deleted posts of the site: their events, as `insertPostEvents` has them. */
export function insertDeletions(siteId: string, sending: Sending): SQL {
  const gone = sql`gone`
  const happened = sql.join(
    deletionKinds.map(
      (event) => sql`
      select gone.site_id, w.id as endpoint_id, ${event}::text as event, gone.id as post_id, gone.slug, ${payloadJson(event, gone, gone)} as payload
      from ${deletedPosts(siteId)} gone join ${endpoints} w on w.site_id = gone.site_id
      where ${isWanted(event)} and ${events[event].when(gone, gone)}`,
    ),
    sql` union all `,
  )
  return sending === 'all' ? insertion(happened) : happened
}

const changeKinds = postEventKinds.filter((event) => !('isDeletion' in events[event]))
const deletionKinds = postEventKinds.filter((event) => 'isDeletion' in events[event])

const insertion = (rows: SQL) => sql`
    insert into ${webhookEvents} (site_id, endpoint_id, event, post_id, slug, payload) ${rows}
    returning id, event, post_id, endpoint_id`

/** What this transaction has written. The time, which an index knows, is only a bound. */
const isOfThisWrite = (row: SQL, time: SQL) =>
  sql`${time} >= date_trunc('milliseconds', now()) and ${row}.xmin = pg_current_xact_id()::xid`

const isFirstOf = (changed: SQL) => sql`not exists (
        select from ${webhookEvents} e where e.site_id = ${changed}.site_id and e.post_id = ${changed}.id
          and ${isOfThisWrite(sql`e`, sql`e.created_at`)})`

/** The posts that this transaction has deleted. `updated_at` is the number of the deletion in the change feed. */
const deletedPosts = (siteId: string) => sql`(
        select t.site_id, t.resource_id as id, t.slug, t.language, t.status, t.deleted_at as updated_at
        from ${tombstones} t
        where t.site_id = ${siteId} and t.resource = 'post' and not t.published_only
          and ${isOfThisWrite(sql`t`, sql`t.deleted_at`)})`

/** Inserts a `webhook.test` event for an endpoint. @returns its id, or null when the site has no such endpoint */
export async function insertTestEvent(
  ctx: Context,
  site: { id: string },
  endpointId: string,
): Promise<string | null> {
  const payload = JSON.stringify({
    event: 'webhook.test',
    siteId: site.id,
    at: new Date().toISOString(),
    message: 'This is a test of your webhook. No post has changed.',
  } satisfies Payload<'webhook.test'>)
  await markSite(ctx, site)
  const insertion = ctx.db.execute(sql`
    insert into ${webhookEvents} (site_id, endpoint_id, event, payload)
    select s.id, w.id, 'webhook.test', ${payload}
    from ${endpoints} w join ${sites} s on s.id = w.site_id
    where w.site_id = ${site.id} and coalesce(w.id, w.site_id) = ${endpointId}::uuid
    for key share of s
    returning id`)
  const [result] = await writeAs(ctx, [insertion])
  return (result.rows[0] as { id: string } | undefined)?.id ?? null
}

/**
 * Sends the queue messages of new events of a site. Of many, it sends the first ones, and a message that sends the next ones after
 * what other sites have put into the queue meanwhile. A failure is only logged: the sweep finds the events in the outbox.
 */
export async function enqueueEvents(ctx: Context, site: { id: string }, eventIds: string[]): Promise<void> {
  try {
    if (eventIds.length > MAX_AT_ONCE) await ctx.queue.send({ events: site.id })
    else await sendWakeUps(ctx, eventIds)
  } catch (error) {
    ctx.log('queue.unreachable', { eventIds, error: describeError(error) })
  }
}

/** For the consumer of the queue: the messages of the site's next events, and among them one that brings more, if there are. */
export async function enqueueNextEvents(ctx: Context, siteId: string): Promise<void> {
  const { rows } = await ctx.db.execute(sql`
    update ${webhookEvents} e set claimed_at = now()
    where e.state = 'pending' and e.claimed_at is null and e.id in (
      select id from ${webhookEvents}
      where site_id = ${siteId} and state = 'pending' and claimed_at is null
      order by created_at, id limit ${MAX_AT_ONCE})
    returning e.id`)
  const messages = (rows as { id: string }[]).map(({ id }): QueueMessage => ({ eventId: id }))
  // In the middle: as the last one it would be in a batch that waits a second for others to fill it.
  if (messages.length === MAX_AT_ONCE) messages.splice(MAX_AT_ONCE / 2, 0, { events: siteId })
  if (messages.length > 0) await ctx.queue.sendBatch(messages.map((body) => ({ body })))
}

export async function sendWakeUps(ctx: Context, eventIds: string[]): Promise<void> {
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
      where state = 'pending' and coalesce(claimed_at, created_at) < now() - ${OVERDUE_AFTER}::interval
        and created_at < now() - ${OVERDUE_AFTER}::interval and ${isOfSites(siteIds)}
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
    finishedAt: row.state === 'pending' ? null : wireTime(row.finishedAt),
  }
}
