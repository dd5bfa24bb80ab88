import { desc, eq, type SQL, sql } from 'drizzle-orm'
import type { Context } from '../context.ts'
import { webhookDeliveries, webhookEvents } from '../db/schema.ts'
import type { DeliveryError } from './outcome.ts'

const MAX_EVENTS = 20
const MAX_ATTEMPTS = 20

export type PostEvent = Pick<typeof webhookEvents.$inferSelect, 'id' | 'event' | 'state' | 'createdAt'> & {
  attempts: PostAttempt[]
}

export type PostAttempt = Pick<
  typeof webhookDeliveries.$inferSelect,
  'id' | 'status' | 'durationMs' | 'manual' | 'resendId' | 'attemptedAt'
> & { error: DeliveryError | null }

/** Query for a batch. `toPostHistory` reads its rows. `postId` is an SQL expression. */
export function selectPostHistory({ db }: Context, site: { id: string }, postId: SQL) {
  const { id, event, state, createdAt } = webhookEvents
  const events = db
    .select({ id, event, state, createdAt })
    .from(webhookEvents)
    .where(isOfPost(site, postId))
    .orderBy(desc(createdAt), desc(id))
    .limit(MAX_EVENTS + 1)
    .as('events')
  const attempts = db
    .select({
      id: webhookDeliveries.id,
      status: webhookDeliveries.status,
      error: webhookDeliveries.error,
      durationMs: webhookDeliveries.durationMs,
      manual: webhookDeliveries.manual,
      resendId: webhookDeliveries.resendId,
      attemptedAt: webhookDeliveries.attemptedAt,
    })
    .from(webhookDeliveries)
    .where(eq(webhookDeliveries.eventId, events.id))
    .orderBy(desc(webhookDeliveries.attemptedAt), desc(webhookDeliveries.id))
    .limit(MAX_ATTEMPTS + 1)
    .as('attempts')
  return db
    .select({
      event: { id: events.id, event: events.event, state: events.state, createdAt: events.createdAt },
      attempt: {
        id: attempts.id,
        status: attempts.status,
        error: attempts.error,
        durationMs: attempts.durationMs,
        manual: attempts.manual,
        resendId: attempts.resendId,
        attemptedAt: attempts.attemptedAt,
      },
    })
    .from(events)
    .leftJoinLateral(attempts, sql`true`)
    .orderBy(desc(events.createdAt), desc(events.id), desc(attempts.attemptedAt), desc(attempts.id))
}

/** Subquery of the ids of the events in a post's history. */
export function selectEventIds({ db }: Context, site: { id: string }, postId: SQL): SQL {
  const { id, createdAt } = webhookEvents
  const newest = db
    .select({ id })
    .from(webhookEvents)
    .where(isOfPost(site, postId))
    .orderBy(desc(createdAt), desc(id))
    .limit(MAX_EVENTS)
  return sql`(${newest})`
}

const isOfPost = (site: { id: string }, postId: SQL) =>
  sql`${eq(webhookEvents.siteId, site.id)} and ${webhookEvents.resourceId} = ${postId}`

/** `isCut` if there are more events or attempts. */
export function toPostHistory(rows: Awaited<ReturnType<typeof selectPostHistory>>): {
  events: PostEvent[]
  isCut: boolean
} {
  const events = new Map<string, PostEvent>()
  for (const { event, attempt } of rows) {
    const known = events.get(event.id) ?? { ...event, attempts: [] }
    events.set(event.id, known)
    if (attempt) known.attempts.push(attempt as PostAttempt)
  }
  const all = [...events.values()]
  return {
    events: all
      .slice(0, MAX_EVENTS)
      .map(({ attempts, ...event }) => ({ ...event, attempts: attempts.slice(0, MAX_ATTEMPTS) })),
    isCut: all.length > MAX_EVENTS || all.some(({ attempts }) => attempts.length > MAX_ATTEMPTS),
  }
}
