/** Each function reads a whole console page in one database call. */
import { sql } from 'drizzle-orm'
import type { Context } from '../context.ts'
import { NO_ID } from '../core/ids.ts'
import type { Paging } from '../db/paging.ts'
import { type ListedEndpoint, selectEndpoints, toEndpoints } from './endpoint.ts'
import {
  type AdjacentDeliveries,
  type CauseCount,
  countCauses,
  countLoggedEvents,
  type EventFilter,
  selectAdjacentDeliveries,
  selectLoggedEvents,
  toEventPage,
} from './event-log.ts'
import { selectDeliveries, selectDelivery, toDeliveryInFull, toDeliveryPage } from './log.ts'
import {
  type RecentDeliveries,
  selectHourlyDeliveries,
  selectRecentDeliveries,
  toHourlyDeliveries,
  toRecentDeliveries,
} from './recent-deliveries.ts'
import { selectNewestResend, toResend } from './resend.ts'

const NEWEST_ATTEMPTS = { limit: 20, cursor: null }

export type WebhookOverview = ListedEndpoint & { recent: RecentDeliveries }

export async function listWebhooksWithRecent(ctx: Context, site: { id: string }) {
  const now = new Date()
  const [endpoints, recent] = await ctx.db.batch([
    selectEndpoints(ctx, sql`${site.id}`),
    selectRecentDeliveries(ctx, site, now),
  ])
  return withRecent(toEndpoints(ctx, site, endpoints), toRecentDeliveries(recent, now))
}

const withRecent = (endpoints: ListedEndpoint[], recent: Map<string, RecentDeliveries>): WebhookOverview[] =>
  endpoints.map((endpoint) => ({ ...endpoint, recent: recent.get(endpoint.id)! }))

/** A webhook with its newest events, among the others, whose names its own depends on. */
export async function getWebhookOverview(
  ctx: Context,
  site: { id: string },
  {
    newest,
    webhook,
    deliveryId = NO_ID,
  }: { newest: number; webhook: string; deliveryId?: string | undefined },
) {
  const [now, paging] = [new Date(), { limit: newest, cursor: null }]
  const [endpoints, recent, events, found] = await ctx.db.batch([
    selectEndpoints(ctx, sql`${site.id}`),
    selectRecentDeliveries(ctx, site, now),
    selectLoggedEvents(ctx, site, paging, { webhook }),
    selectDelivery(ctx, site, deliveryId),
  ])
  return {
    endpoints: withRecent(toEndpoints(ctx, site, endpoints), toRecentDeliveries(recent, now)),
    events: toEventPage(events, paging).items,
    delivery: found[0] && found[0].endpointId === webhook ? toDeliveryInFull(ctx, found) : null,
  }
}

export async function getEventLog(
  ctx: Context,
  site: { id: string },
  { paging, filter }: { paging: Paging; filter: EventFilter },
) {
  const now = new Date()
  const [endpoints, events, counted, causes, [resend], hours] = await ctx.db.batch([
    selectEndpoints(ctx, sql`${site.id}`),
    selectLoggedEvents(ctx, site, paging, filter),
    countLoggedEvents(ctx, site, filter),
    countCauses(ctx, site, filter),
    selectNewestResend(ctx, site),
    selectHourlyDeliveries(ctx, site, now),
  ])
  return {
    endpoints: toEndpoints(ctx, site, endpoints),
    hours: toHourlyDeliveries(hours, now),
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
  const [found, attempts, endpoints, adjacent] = await ctx.db.batch([
    selectDelivery(ctx, site, deliveryId),
    selectDeliveries(ctx, site, NEWEST_ATTEMPTS, { sameEventAs: deliveryId }),
    selectEndpoints(ctx, sql`${site.id}`),
    selectAdjacentDeliveries(ctx, site, deliveryId, filter),
  ])
  const delivery = toDeliveryInFull(ctx, found)
  const { resource, currentSlug, arrivalId, endpointId } = found[0]!
  return {
    delivery,
    resource,
    /** Null for a test or once the article is deleted. */
    currentSlug,
    attempts: toDeliveryPage(ctx, attempts, NEWEST_ATTEMPTS),
    /** The first later attempt that was delivered, which may not be in `attempts`. */
    arrivalId,
    endpointId,
    endpoints: toEndpoints(ctx, site, endpoints),
    adjacent: adjacent.rows[0] as AdjacentDeliveries,
  }
}
