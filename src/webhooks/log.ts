/** The log of deliveries: a row an attempt, written before the POST and completed after it. */
import { and, desc, eq, inArray, isNotNull, isNull, type SQL, sql } from 'drizzle-orm'
import { z } from 'zod'
import type { Context } from '../context.ts'
import { type eventKinds, webhookDeliveries, webhookEvents } from '../db/schema.ts'
import { AppError } from '../errors.ts'
import { afterCursor, cutPage, type Paging } from '../paging.ts'
import { wireTime } from '../time.ts'
import { failures, type Outcome } from './send.ts'

/** Longer than any attempt can take: 8 s for the receiver and three tries to write the result. */
const INTERRUPTED_AFTER = '1 minute'

const errors = [...failures, 'endpoint_removed', 'interrupted'] as const

/** What may have become of a delivery; `failed` is any of the errors after it. */
export const outcomes = ['delivered', 'under_way', 'failed', ...errors] as const

export type DeliveryFilter = {
  event?: (typeof eventKinds)[number] | undefined
  outcome?: (typeof outcomes)[number] | undefined
  /** A delivery: all attempts at its event. */
  sameEventAs?: string
}

export const Delivery = z.object({
  id: z.uuid(),
  eventId: z.uuid(),
  event: z.string(),
  postId: z.uuid().nullable(),
  slug: z.string().nullable(),
  url: z.string(),
  status: z.int().nullable().describe("The receiver's HTTP status; null when none arrived"),
  error: z.enum(errors).nullable(),
  durationMs: z.int().nullable(),
  manual: z.boolean().describe('Sent again by the operator'),
  attemptedAt: z.iso.datetime(),
})

export const DeliveryInFull = Delivery.extend({
  request: z
    .object({ headers: z.record(z.string(), z.string()), body: z.string() })
    .nullable()
    .describe('What was sent, to the byte; null when nothing was'),
  answerExcerpt: z.string().nullable().describe("The beginning of the receiver's answer"),
})

/** What is about to be POSTed, and where; nothing goes where no endpoint is left. */
export type Prepared = { url: string; headers: Record<string, string> | null }

/**
 * Claims an event that nobody has sent yet or, for the operator, one that is finished, for the attempt whose row gets
 * the id `deliveryId`: of all attempts, one is given the event, and only that one may POST. Repeated with the same id,
 * it says the same, so that whoever got no reply can ask again.
 *
 * @returns false when the event is claimed already, not in the state for it, or the attempt was given up by the sweep
 */
export async function claimEvent(
  ctx: Context,
  deliveryId: string,
  eventId: string,
  { url, headers }: Prepared,
  options: { manual: boolean },
): Promise<boolean> {
  const claimable = options.manual ? sql`state in ('delivered', 'failed')` : sql`state = 'pending'`
  // Two statements, because the first one's snapshot would not show what a claim that it waited for has written.
  const [, held] = await ctx.db.batch([
    ctx.db.execute(sql`
      with claimed as (
        update ${webhookEvents} set state = 'sending', claimed_at = now(), finished_at = null
        where id = ${eventId} and ${claimable}
        returning id, site_id
      )
      insert into ${webhookDeliveries} (id, event_id, site_id, url, request_headers, manual)
      select ${deliveryId}, id, site_id, ${url}, ${headers && JSON.stringify(headers)}::jsonb, ${options.manual}
      from claimed`),
    // The time that the sweep gives an attempt begins when its owner hears of it.
    ctx.db.execute(sql`
      update ${webhookEvents} set claimed_at = now()
      where id = ${eventId} and state = 'sending'
        and exists (select from ${webhookDeliveries} where id = ${deliveryId} and error is null and status is null)`),
  ])
  return held.rowCount > 0
}

/** What is written down of an attempt, whether or not anything was sent. */
export type Closing = Omit<Outcome, 'error'> & { error: z.infer<typeof Delivery>['error'] }

/** Completes the log row and the event, unless the sweep has given the attempt up meanwhile. */
export async function completeDelivery(ctx: Context, deliveryId: string, outcome: Closing): Promise<void> {
  await ctx.db.execute(sql`
    with completed as (
      update ${webhookDeliveries}
      set status = ${outcome.status}::integer, error = ${outcome.error}::text,
        duration_ms = ${outcome.durationMs}::integer, answer_excerpt = ${outcome.answerExcerpt}::text
      where id = ${deliveryId} and error is null and status is null
      returning event_id
    )
    update ${webhookEvents} e set finished_at = now(),
      state = case when ${outcome.error === null} or ${hasArrived} then 'delivered' else 'failed' end
    where id in (select event_id from completed)`)
}

/**
 * Closes attempts whose Worker died: whether the receiver got the POST is not known, so it is not sent again.
 *
 * @returns how many
 */
export async function closeInterrupted(ctx: Context): Promise<number> {
  const result = await ctx.db.execute(sql`
    with stuck as (
      update ${webhookEvents} e set finished_at = now(),
        state = case when ${hasArrived} then 'delivered' else 'failed' end
      where state = 'sending' and claimed_at < now() - ${INTERRUPTED_AFTER}::interval
      returning id
    )
    update ${webhookDeliveries} set error = 'interrupted'
    where event_id in (select id from stuck) and error is null and status is null`)
  return result.rowCount
}

/** An event that arrived once stays delivered, whatever becomes of it when it is sent again. */
const hasArrived = sql`exists (
  select from ${webhookDeliveries} d where d.event_id = e.id and d.error is null and d.status is not null
)`

/** Newest first, a page at a time. */
export async function listDeliveries(
  ctx: Context,
  site: { id: string },
  paging: Paging,
  filter: DeliveryFilter = {},
) {
  return toPage(await selectDeliveries(ctx, site, paging, filter), paging)
}

/** One attempt, with what was sent and answered. @throws AppError delivery_missing */
export async function getDelivery(ctx: Context, site: { id: string }, deliveryId: string) {
  return toDeliveryInFull(await selectDelivery(ctx, site, deliveryId))
}

/** The query of a page of deliveries, for who asks for more at once; `toPage` makes a page of its rows. */
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
        outcome && came(outcome),
        sameEventAs ? inArray(webhookDeliveries.eventId, eventOf(sameEventAs)) : undefined,
      ),
    )
    .orderBy(desc(webhookDeliveries.attemptedAt), desc(webhookDeliveries.id))
    .limit(paging.limit + 1)
}

function came(outcome: NonNullable<DeliveryFilter['outcome']>): SQL | undefined {
  const { status, error } = webhookDeliveries
  if (outcome === 'delivered') return and(isNotNull(status), isNull(error))
  if (outcome === 'under_way') return and(isNull(status), isNull(error))
  return outcome === 'failed' ? isNotNull(error) : eq(error, outcome)
}

export function toPage(rows: DeliveryRow[], paging: Paging) {
  return cutPage(rows, paging, (row) => row.attemptedAt, toDelivery)
}

/** The query of one delivery in full; `toDeliveryInFull` reads its rows. */
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

/** @throws AppError delivery_missing */
export function toDeliveryInFull([row]: Awaited<ReturnType<typeof selectDelivery>>): z.infer<
  typeof DeliveryInFull
> {
  if (!row) throw new AppError('delivery_missing')
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
