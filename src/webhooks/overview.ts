/** What is looked at together, each with one call to the database. */
import type { Context } from '../context.ts'
import type { Paging } from '../paging.ts'
import { selectEndpoint, toEndpoint } from './endpoint.ts'
import { type DeliveryFilter, selectDeliveries, selectDelivery, toDeliveryInFull, toPage } from './log.ts'

const NO_ID = '00000000-0000-0000-0000-000000000000'
const ATTEMPTS = { limit: 20, cursor: null }

/** The endpoint or null, a page of deliveries, and in full the one that is named, if it is there. */
export async function readOverview(
  ctx: Context,
  site: { id: string },
  { paging, filter, deliveryId }: { paging: Paging; filter: DeliveryFilter; deliveryId: string | null },
) {
  const [endpoint, deliveries, named] = await ctx.db.batch([
    selectEndpoint(ctx, site),
    selectDeliveries(ctx, site, paging, filter),
    selectDelivery(ctx, site, deliveryId ?? NO_ID),
  ])
  return {
    endpoint: toEndpoint(endpoint),
    deliveries: toPage(deliveries, paging),
    delivery: named.length > 0 ? toDeliveryInFull(named) : null,
  }
}

/** A delivery in full, the newest attempts at its event, and the endpoint of now. @throws AppError delivery_missing */
export async function readDelivery(ctx: Context, site: { id: string }, deliveryId: string) {
  const [delivery, attempts, endpoint] = await ctx.db.batch([
    selectDelivery(ctx, site, deliveryId),
    selectDeliveries(ctx, site, ATTEMPTS, { sameEventAs: deliveryId }),
    selectEndpoint(ctx, site),
  ])
  return {
    delivery: toDeliveryInFull(delivery),
    attempts: toPage(attempts, ATTEMPTS),
    endpoint: toEndpoint(endpoint),
  }
}
