import { and, desc, eq, type SQL, sql } from 'drizzle-orm'
import type { Context } from '../context.ts'
import { webhookDeliveries, webhookEvents } from '../db/schema.ts'
import type { DeliveryError } from './outcome.ts'

type Site = { id: string }

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
export function selectPostHistory(ctx: Context, site: Site, postId: SQL) {
  const event = selectNewest(ctx, site, postId, MAX_EVENTS + 1)
  const { id, status, error, durationMs, manual, resendId, attemptedAt } = webhookDeliveries
  const attempt = ctx.db
    .select({ id, status, error, durationMs, manual, resendId, attemptedAt })
    .from(webhookDeliveries)
    .where(eq(webhookDeliveries.eventId, event.id))
    .orderBy(desc(attemptedAt), desc(id))
    .limit(MAX_ATTEMPTS + 1)
    .as('attempt')
  return ctx.db
    .select()
    .from(event)
    .leftJoinLateral(attempt, sql`true`)
    .orderBy(desc(event.createdAt), desc(event.id), desc(attempt.attemptedAt), desc(attempt.id))
}

/** Subquery of the ids of the events in a post's history. */
export function selectEventIds(ctx: Context, site: Site, postId: SQL): SQL {
  return sql`(select id from ${selectNewest(ctx, site, postId, MAX_EVENTS)})`
}

function selectNewest({ db }: Context, site: Site, postId: SQL, limit: number) {
  const { id, event, state, createdAt } = webhookEvents
  return db
    .select({ id, event, state, createdAt })
    .from(webhookEvents)
    .where(and(eq(webhookEvents.siteId, site.id), eq(webhookEvents.resourceId, postId)))
    .orderBy(desc(createdAt), desc(id))
    .limit(limit)
    .as('event')
}

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
