/** The delivery log: one row per attempt, to list and to show. */
import { and, desc, eq, inArray, isNotNull, isNull, type SQL } from 'drizzle-orm'
import * as z from 'zod/mini'
import type { Context } from '../context.ts'
import { type eventKinds, webhookDeliveries, webhookEvents } from '../db/schema.ts'
import { AppError } from '../errors.ts'
import { afterCursor, cutPage, type Paging } from '../paging.ts'
import { wireTime } from '../time.ts'
import { wireShape } from '../wire-shape.ts'
import { deliveryErrors } from './outcome.ts'

/** What a list can be filtered by; `failed` is any of the errors. */
export const outcomes = ['delivered', 'under_way', 'failed', ...deliveryErrors] as const

export type DeliveryFilter = {
  event?: (typeof eventKinds)[number] | undefined
  outcome?: (typeof outcomes)[number] | undefined
  /** The id of a delivery: all attempts at its event, this one included. */
  sameEventAs?: string
}

export const Delivery = /* @__PURE__ */ wireShape(() =>
  z
    .object({
      id: z.uuid(),
      eventId: z.uuid(),
      event: z.string(),
      postId: z.nullable(z.uuid()),
      slug: z.nullable(z.string()),
      url: z.string(),
      status: z.nullable(z.int()).check(z.describe("The receiver's HTTP status; null when none arrived")),
      error: z.nullable(z.enum(deliveryErrors)),
      durationMs: z.nullable(z.int()),
      manual: z.boolean().check(z.describe('Sent again by the operator')),
      attemptedAt: z.iso.datetime(),
    })
    .register(z.globalRegistry, { id: 'Delivery' }),
)

export const DeliveryInFull = /* @__PURE__ */ wireShape(() =>
  z
    .extend(Delivery, {
      request: z
        .nullable(z.object({ headers: z.record(z.string(), z.string()), body: z.string() }))
        .check(z.describe('What was sent, to the byte; null when nothing was')),
      answerExcerpt: z.nullable(z.string()).check(z.describe("The beginning of the receiver's answer")),
    })
    .register(z.globalRegistry, { id: 'DeliveryInFull' }),
)

/** Newest first, a page at a time. */
export async function listDeliveries(
  ctx: Context,
  site: { id: string },
  paging: Paging,
  filter: DeliveryFilter = {},
) {
  return toDeliveryPage(await selectDeliveries(ctx, site, paging, filter), paging)
}

/** One attempt in full: the request and the response. @throws AppError delivery_not_found */
export async function getDelivery(ctx: Context, site: { id: string }, deliveryId: string) {
  return toDeliveryInFull(await selectDelivery(ctx, site, deliveryId))
}

/** The query of `listDeliveries`, to put in a batch; `toDeliveryPage` reads its rows. */
export function selectDeliveries(
  { db }: Context,
  site: { id: string },
  paging: Paging,
  { event, outcome, sameEventAs }: DeliveryFilter,
) {
  const eventOf = (id: string) =>
    db.select({ id: webhookDeliveries.eventId }).from(webhookDeliveries).where(eq(webhookDeliveries.id, id))
  return db
    .select(deliveryColumns)
    .from(webhookDeliveries)
    .innerJoin(webhookEvents, eq(webhookEvents.id, webhookDeliveries.eventId))
    .where(
      and(
        eq(webhookDeliveries.siteId, site.id),
        afterCursor(paging.cursor, webhookDeliveries.attemptedAt, webhookDeliveries.id),
        event && eq(webhookEvents.event, event),
        outcome && hasOutcome(outcome),
        sameEventAs ? inArray(webhookDeliveries.eventId, eventOf(sameEventAs)) : undefined,
      ),
    )
    .orderBy(desc(webhookDeliveries.attemptedAt), desc(webhookDeliveries.id))
    .limit(paging.limit + 1)
}

function hasOutcome(outcome: NonNullable<DeliveryFilter['outcome']>): SQL | undefined {
  const { status, error } = webhookDeliveries
  if (outcome === 'delivered') return and(isNotNull(status), isNull(error))
  if (outcome === 'under_way') return and(isNull(status), isNull(error))
  return outcome === 'failed' ? isNotNull(error) : eq(error, outcome)
}

export function toDeliveryPage(rows: DeliveryRow[], paging: Paging) {
  return cutPage(rows, paging, (row) => row.attemptedAt, toDelivery)
}

/** The query of `getDelivery`, to put in a batch; `toDeliveryInFull` reads its rows. */
export function selectDelivery({ db }: Context, site: { id: string }, deliveryId: string) {
  return db
    .select({
      delivery: deliveryColumns,
      headers: webhookDeliveries.requestHeaders,
      body: webhookEvents.payload,
      answerExcerpt: webhookDeliveries.answerExcerpt,
    })
    .from(webhookDeliveries)
    .innerJoin(webhookEvents, eq(webhookEvents.id, webhookDeliveries.eventId))
    .where(and(eq(webhookDeliveries.siteId, site.id), eq(webhookDeliveries.id, deliveryId)))
}

/** @throws AppError delivery_not_found */
export function toDeliveryInFull([row]: Awaited<ReturnType<typeof selectDelivery>>): z.infer<
  typeof DeliveryInFull
> {
  if (!row) throw new AppError('delivery_not_found')
  const { headers, body, answerExcerpt } = row
  return { ...toDelivery(row.delivery), request: headers && { headers, body }, answerExcerpt }
}

const deliveryColumns = {
  id: webhookDeliveries.id,
  eventId: webhookDeliveries.eventId,
  event: webhookEvents.event,
  postId: webhookEvents.postId,
  slug: webhookEvents.slug,
  url: webhookDeliveries.url,
  status: webhookDeliveries.status,
  error: webhookDeliveries.error,
  durationMs: webhookDeliveries.durationMs,
  manual: webhookDeliveries.manual,
  attemptedAt: webhookDeliveries.attemptedAt,
}

type DeliveryRow = Awaited<ReturnType<typeof selectDeliveries>>[number]

function toDelivery(row: DeliveryRow) {
  return { ...row, attemptedAt: wireTime(row.attemptedAt) } as Omit<DeliveryRow, 'attemptedAt' | 'error'> &
    Pick<z.infer<typeof Delivery>, 'attemptedAt' | 'error'>
}
