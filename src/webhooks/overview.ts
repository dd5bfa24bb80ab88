/** What a page shows together, read in one call to the database. */
import type { Context } from '../context.ts'
import type { Paging } from '../paging.ts'
import { selectEndpoint, toEndpointOrNull } from './endpoint.ts'
import {
  type DeliveryFilter,
  selectDeliveries,
  selectDelivery,
  toDeliveryInFull,
  toDeliveryPage,
} from './log.ts'

const NO_ID = '00000000-0000-0000-0000-000000000000'
const NEWEST_ATTEMPTS = { limit: 20, cursor: null }

/** The endpoint or null, a page of deliveries, and the delivery `deliveryId` in full, or null when there is none. */
export async function getWebhookOverview(
  ctx: Context,
  site: { id: string },
  { paging, filter, deliveryId }: { paging: Paging; filter: DeliveryFilter; deliveryId: string | null },
) {
  const [endpoint, deliveries, found] = await ctx.db.batch([
    selectEndpoint(ctx, site),
    selectDeliveries(ctx, site, paging, filter),
    selectDelivery(ctx, site, deliveryId ?? NO_ID),
  ])
  return {
    endpoint: toEndpointOrNull(endpoint),
    deliveries: toDeliveryPage(deliveries, paging),
    delivery: found.length > 0 ? toDeliveryInFull(found) : null,
  }
}

/** A delivery in full, the newest attempts at its event, and the current endpoint. @throws AppError delivery_not_found */
export async function getDeliveryWithAttempts(ctx: Context, site: { id: string }, deliveryId: string) {
  const [delivery, attempts, endpoint] = await ctx.db.batch([
    selectDelivery(ctx, site, deliveryId),
    selectDeliveries(ctx, site, NEWEST_ATTEMPTS, { sameEventAs: deliveryId }),
    selectEndpoint(ctx, site),
  ])
  return {
    delivery: toDeliveryInFull(delivery),
    attempts: toDeliveryPage(attempts, NEWEST_ATTEMPTS),
    endpoint: toEndpointOrNull(endpoint),
  }
}
