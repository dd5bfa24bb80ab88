/** Each function reads a whole console page in one database call. */
import { and, asc, eq, isNotNull, isNull, sql } from 'drizzle-orm'
import type { Context } from '../context.ts'
import { NO_ID } from '../core/ids.ts'
import type { Paging } from '../db/paging.ts'
import { webhookDeliveries, webhookEvents } from '../db/schema.ts'
import { selectEndpoints, toEndpoints } from './endpoint.ts'
import { currentOf } from './event.ts'
import {
  type AdjacentDeliveries,
  type CauseCount,
  countCauses,
  countLoggedEvents,
  countNotArrived,
  type EventFilter,
  selectAdjacentDeliveries,
  selectLoggedEvents,
  toEventPage,
} from './event-log.ts'
import { selectDeliveries, selectDelivery, toDeliveryInFull, toDeliveryPage } from './log.ts'
import { selectNewestResend, toResend } from './resend.ts'

const NEWEST_ATTEMPTS = { limit: 20, cursor: null }

export async function getWebhookOverview(
  ctx: Context,
  site: { id: string },
  { newest, deliveryId }: { newest: number; deliveryId: string | null },
) {
  const paging = { limit: newest, cursor: null }
  const [endpoints, counts, events, found] = await ctx.db.batch([
    selectEndpoints(ctx, sql`${site.id}`),
    countNotArrived(ctx, site),
    selectLoggedEvents(ctx, site, paging, {}),
    selectDelivery(ctx, site, deliveryId ?? NO_ID),
  ])
  const notArrived = new Map(counts.rows.map(({ webhookId, count }) => [String(webhookId), Number(count)]))
  return {
    endpoints: toEndpoints(ctx, site, endpoints).map((endpoint) => ({
      ...endpoint,
      notArrived: notArrived.get(endpoint.id) ?? 0,
    })),
    events: toEventPage(events, paging).items,
    delivery: found.length > 0 ? toDeliveryInFull(ctx, found) : null,
  }
}

export async function getEventLog(
  ctx: Context,
  site: { id: string },
  { paging, filter }: { paging: Paging; filter: EventFilter },
) {
  const [endpoints, events, counted, causes, [resend]] = await ctx.db.batch([
    selectEndpoints(ctx, sql`${site.id}`),
    selectLoggedEvents(ctx, site, paging, filter),
    countLoggedEvents(ctx, site, filter),
    countCauses(ctx, site, filter),
    selectNewestResend(ctx, site),
  ])
  return {
    endpoints: toEndpoints(ctx, site, endpoints),
    events: toEventPage(events, paging),
    count: Number(counted.rows[0]!.count),
    causes: causes.rows as CauseCount[],
    resend: resend ? toResend(resend) : null,
  }
}

export async function getWebhookAndDelivery(ctx: Context, site: { id: string }, deliveryId: string | null) {
  const [endpoints, found] = await ctx.db.batch([
    selectEndpoints(ctx, sql`${site.id}`),
    selectDelivery(ctx, site, deliveryId ?? NO_ID),
  ])
  return {
    hasWebhook: endpoints.length > 0,
    delivery: found.length > 0 ? toDeliveryInFull(ctx, found) : null,
  }
}

/** @throws AppError delivery_not_found */
export async function getDeliveryWithAttempts(
  ctx: Context,
  site: { id: string },
  deliveryId: string,
  filter: EventFilter,
) {
  const [delivery, attempts, endpoints, [of], [arrival], adjacent, failures] = await ctx.db.batch([
    selectDelivery(ctx, site, deliveryId),
    selectDeliveries(ctx, site, NEWEST_ATTEMPTS, { sameEventAs: deliveryId }),
    selectEndpoints(ctx, sql`${site.id}`),
    selectSubject(ctx, site, deliveryId),
    selectArrivalAfter(ctx, site, deliveryId),
    selectAdjacentDeliveries(ctx, site, deliveryId, filter),
    selectAdjacentDeliveries(ctx, site, deliveryId, { ...filter, outcome: 'not_arrived' }),
  ])
  return {
    delivery: toDeliveryInFull(ctx, delivery),
    resource: of?.resource ?? null,
    /** The current slug. Null for a test or once the article is deleted. */
    slug: of?.slug ?? null,
    attempts: toDeliveryPage(ctx, attempts, NEWEST_ATTEMPTS),
    /** The first later attempt that was delivered, which may not be in `attempts`. */
    arrivalId: arrival?.id ?? null,
    /** Null if it was removed. */
    endpoint: toEndpoints(ctx, site, endpoints).find(({ id }) => id === of?.endpointId) ?? null,
    adjacent: adjacent.rows[0] as AdjacentDeliveries,
    failures: failures.rows[0] as AdjacentDeliveries,
  }
}

function selectSubject({ db }: Context, site: { id: string }, deliveryId: string) {
  return db
    .select({
      resource: webhookEvents.resource,
      slug: currentOf('slug', webhookEvents),
      endpointId: webhookEvents.endpointId,
    })
    .from(webhookDeliveries)
    .innerJoin(webhookEvents, eq(webhookEvents.id, webhookDeliveries.eventId))
    .where(and(eq(webhookDeliveries.siteId, site.id), eq(webhookDeliveries.id, deliveryId)))
}

function selectArrivalAfter({ db }: Context, site: { id: string }, deliveryId: string) {
  const { id, siteId, eventId, attemptedAt, status, error } = webhookDeliveries
  const of = (columns: string) =>
    sql`(select ${sql.raw(columns)} from ${webhookDeliveries} d where d.site_id = ${site.id} and d.id = ${deliveryId})`
  return db
    .select({ id })
    .from(webhookDeliveries)
    .where(
      and(
        eq(siteId, site.id),
        eq(eventId, of('d.event_id')),
        sql`(${attemptedAt}, ${id}) > ${of('d.attempted_at, d.id')}`,
        isNotNull(status),
        isNull(error),
      ),
    )
    .orderBy(asc(attemptedAt), asc(id))
    .limit(1)
}
