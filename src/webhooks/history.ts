import { and, desc, eq, type SQL, sql } from 'drizzle-orm'
import type { Context } from '../context.ts'
import { webhookDeliveries, webhookEvents } from '../db/schema.ts'
import { MAX_WEBHOOKS } from './endpoint.ts'
import type { DeliveryError } from './outcome.ts'

type Site = { id: string }

const MAX_EVENTS = 20
export const MAX_ATTEMPTS = 20

/** An event of a post, with each webhook that it was for. */
export type PostEvent = Pick<Row, 'event' | 'createdAt'> & { receivers: PostReceiver[] }

type Row = typeof webhookEvents.$inferSelect

export type PostReceiver = Pick<Row, 'id' | 'endpointId' | 'state'> & {
  /** Newest first, at most `MAX_ATTEMPTS`. */
  attempts: PostAttempt[]
}

export type PostAttempt = Pick<
  typeof webhookDeliveries.$inferSelect,
  'id' | 'url' | 'status' | 'durationMs' | 'manual' | 'resendId' | 'attemptedAt'
> & { error: DeliveryError | null }

/** Query for a batch. `toPostHistory` reads its rows. `postId` is an SQL expression. */
export function selectPostHistory(ctx: Context, site: Site, postId: SQL) {
  const event = selectNewest(ctx, site, postId, MAX_EVENTS * MAX_WEBHOOKS + 1)
  const { id, url, status, error, durationMs, manual, resendId, attemptedAt } = webhookDeliveries
  const attempt = ctx.db
    .select({ id, url, status, error, durationMs, manual, resendId, attemptedAt })
    .from(webhookDeliveries)
    .where(eq(webhookDeliveries.eventId, event.id))
    .orderBy(desc(attemptedAt), desc(id))
    .limit(MAX_ATTEMPTS)
    .as('attempt')
  return ctx.db
    .select()
    .from(event)
    .leftJoinLateral(attempt, sql`true`)
    .orderBy(desc(event.createdAt), desc(event.id), desc(attempt.attemptedAt), desc(attempt.id))
}

/** Subquery of the ids of the events in a post's history. */
export function selectEventIds(ctx: Context, site: Site, postId: SQL): SQL {
  return sql`(select id from ${selectNewest(ctx, site, postId, MAX_EVENTS * MAX_WEBHOOKS)})`
}

function selectNewest({ db }: Context, site: Site, postId: SQL, limit: number) {
  const { id, event, endpointId, state, createdAt } = webhookEvents
  return db
    .select({ id, event, endpointId, state, createdAt })
    .from(webhookEvents)
    .where(and(eq(webhookEvents.siteId, site.id), eq(webhookEvents.resourceId, postId)))
    .orderBy(desc(createdAt), desc(id))
    .limit(limit)
    .as('event')
}

/** `isCut` if there are more events. */
export function toPostHistory(rows: Awaited<ReturnType<typeof selectPostHistory>>): {
  events: PostEvent[]
  isCut: boolean
} {
  const events = new Map<string, PostEvent>()
  const receivers = new Map<string, PostReceiver>()
  for (const { event: row, attempt } of rows) {
    const { event, createdAt, ...receiver } = row
    // A write inserts the events of all webhooks at the same time.
    const key = `${event} ${+createdAt}`
    const known = events.get(key) ?? { event, createdAt, receivers: [] }
    events.set(key, known)
    const of = receivers.get(row.id) ?? { ...receiver, attempts: [] }
    if (!receivers.has(row.id)) known.receivers.push(of)
    receivers.set(row.id, of)
    if (attempt) of.attempts.push(attempt as PostAttempt)
  }
  const all = [...events.values()]
  return { events: all.slice(0, MAX_EVENTS), isCut: all.length > MAX_EVENTS }
}
