/** The delivery log: one row per attempt, to list and to show. */
import { and, desc, eq, gte, inArray, isNotNull, isNull, lt, type SQL, sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import type { Context } from '../context.ts'
import { isAllowed } from '../core/actor.ts'
import type { EventKind } from '../core/enums.ts'
import { AppError } from '../core/errors.ts'
import { wireTime } from '../core/time.ts'
import { responseSchema } from '../core/zod.ts'
import { afterCursor, cutPage, type Paging } from '../db/paging.ts'
import { webhookDeliveries, webhookEvents } from '../db/schema.ts'
import { visibleResponse, visibleWebhookUrl } from '../people/webhook-url.ts'
import { currentOf } from './event.ts'
import { selectFoundEvents } from './event-search.ts'
import { deliveryErrors, NOTHING_SENT, OUTCOMES } from './outcome.ts'

/** `failed` is any error. `not_arrived` is the last attempt of an event that was never delivered. */
export const outcomes = Object.keys(OUTCOMES) as (keyof typeof OUTCOMES)[]

export type DeliveryFilter = {
  event?: EventKind | undefined
  outcome?: keyof typeof OUTCOMES | undefined
  search?: string | null | undefined
  since?: Date | undefined
  until?: Date | undefined
  /** A delivery id. Lists all attempts of its event, including this one. */
  sameEventAs?: string
}

export const Delivery = /* @__PURE__ */ responseSchema(() =>
  z
    .object({
      id: z.uuid(),
      eventId: z.uuid(),
      event: z.string(),
      postId: z.nullable(z.uuid()),
      slug: z.nullable(z.string()),
      title: z
        .nullable(z.string())
        .check(z.describe('The current title of the post. Null for a test event or if the post was deleted')),
      url: z.string(),
      status: z.nullable(z.int()).check(z.describe("The receiver's HTTP status. Null if it did not respond")),
      error: z.nullable(z.enum(deliveryErrors)),
      durationMs: z.nullable(z.int()),
      arrivedLater: z
        .boolean()
        .check(z.describe('True if this attempt failed and a later attempt of the same event was delivered')),
      manual: z.boolean().check(z.describe('True if the operator resent the event')),
      attemptedAt: z.iso.datetime(),
    })
    .register(z.globalRegistry, { id: 'Delivery' }),
)

export const DeliveryInFull = /* @__PURE__ */ responseSchema(() =>
  z
    .extend(Delivery, {
      request: z
        .nullable(z.object({ headers: z.record(z.string(), z.string()), body: z.string() }))
        .check(
          z.describe(
            'The request that was sent, byte for byte. Null if nothing was sent. Viewers do not see the signatures',
          ),
        ),
      answerExcerpt: z
        .nullable(z.string())
        .check(z.describe("The beginning of the receiver's response body")),
      answerTruncated: z
        .boolean()
        .check(z.describe('True if the response was longer than the excerpt, broke off or was too slow')),
      answerHeaders: z
        .nullable(z.record(z.string(), z.string()))
        .check(z.describe('Response headers that help to find the problem, such as `location`')),
    })
    .register(z.globalRegistry, { id: 'DeliveryInFull' }),
)

export async function listDeliveries(
  ctx: Context,
  site: { id: string },
  paging: Paging,
  filter: DeliveryFilter = {},
) {
  return toDeliveryPage(ctx, await selectDeliveries(ctx, site, paging, filter), paging)
}

/** @throws AppError delivery_not_found */
export async function getDelivery(ctx: Context, site: { id: string }, deliveryId: string) {
  return toDeliveryInFull(ctx, await selectDelivery(ctx, site, deliveryId))
}

/** Query for a batch. `toDeliveryPage` reads its rows. */
export function selectDeliveries(ctx: Context, site: { id: string }, paging: Paging, filter: DeliveryFilter) {
  const { attemptedAt, id } = webhookDeliveries
  // Joins events and titles only for the rows of the page.
  const page = find(ctx, site, filter, afterCursor(paging.cursor, attemptedAt, id))
    .orderBy(desc(attemptedAt), desc(id))
    .limit(paging.limit + 1)
    .as('page')
  return ctx.db
    .select(deliveryColumns)
    .from(page)
    .innerJoin(webhookDeliveries, eq(id, page.id))
    .innerJoin(webhookEvents, isOfEvent(site))
    .orderBy(desc(attemptedAt), desc(id))
}

function find({ db }: Context, site: { id: string }, filter: DeliveryFilter, after?: SQL) {
  const found = db.select({ id: webhookDeliveries.id }).from(webhookDeliveries).$dynamic()
  // Without the join, an index covers the query.
  if (filter.event || filter.outcome === 'not_arrived') found.innerJoin(webhookEvents, isOfEvent(site))
  return found.where(and(matches(site, filter), after))
}

const isOfEvent = (site: { id: string }) =>
  and(eq(webhookEvents.siteId, site.id), eq(webhookEvents.id, webhookDeliveries.eventId))

function matches(site: { id: string }, filter: DeliveryFilter): SQL | undefined {
  const { event, outcome, search, since, until, sameEventAs } = filter
  const eventOf = (id: string) => sql`(select event_id from ${webhookDeliveries} where id = ${id})`
  return and(
    eq(webhookDeliveries.siteId, site.id),
    event && eq(webhookEvents.event, event),
    outcome && hasOutcome(outcome),
    search?.trim()
      ? sql`${webhookDeliveries.eventId} in ${selectFoundEvents(site, search.trim())}`
      : undefined,
    since && gte(webhookDeliveries.attemptedAt, since),
    until && lt(webhookDeliveries.attemptedAt, until),
    sameEventAs ? eq(webhookDeliveries.eventId, eventOf(sameEventAs)) : undefined,
  )
}

function hasOutcome(outcome: NonNullable<DeliveryFilter['outcome']>): SQL | undefined {
  const { status, error } = webhookDeliveries
  if (outcome === 'delivered') return and(isNotNull(status), isNull(error))
  if (outcome === 'under_way') return and(isNull(status), isNull(error))
  if (outcome === 'not_arrived')
    return and(isNotNull(error), eq(webhookEvents.state, 'failed'), sql`not exists (select ${FROM_LATER})`)
  if (outcome === 'not_sent') return inArray(error, [...NOTHING_SENT])
  return outcome === 'failed' ? isNotNull(error) : eq(error, outcome)
}

/** SQL: from the later attempts `l` of the same event. */
const FROM_LATER = sql`from ${webhookDeliveries} l where l.event_id = ${webhookDeliveries.eventId}
  and (l.attempted_at, l.id) > (${webhookDeliveries.attemptedAt}, ${webhookDeliveries.id})`

const FROM_ARRIVED_LATER = sql`${FROM_LATER} and l.error is null and l.status is not null`

export function toDeliveryPage(ctx: Pick<Context, 'actor'>, rows: DeliveryRow[], paging: Paging) {
  return cutPage(
    rows,
    paging,
    (row) => row.attemptedAt,
    (row) => toDelivery(ctx, row),
  )
}

/** Query for a batch. `toDeliveryInFull` reads its rows. */
export function selectDelivery({ db }: Context, site: { id: string }, deliveryId: string) {
  return db
    .select({
      delivery: deliveryColumns,
      resource: webhookEvents.resource,
      currentSlug: currentOf('slug', webhookEvents),
      endpointId: webhookEvents.endpointId,
      arrivalId: sql<
        string | null
      >`(select l.id ${FROM_ARRIVED_LATER} order by l.attempted_at, l.id limit 1)`,
      headers: webhookDeliveries.requestHeaders,
      body: webhookEvents.payload,
      answerExcerpt: webhookDeliveries.answerExcerpt,
      answerTruncated: webhookDeliveries.answerTruncated,
      answerHeaders: webhookDeliveries.answerHeaders,
    })
    .from(webhookDeliveries)
    .innerJoin(webhookEvents, eq(webhookEvents.id, webhookDeliveries.eventId))
    .where(and(eq(webhookDeliveries.siteId, site.id), eq(webhookDeliveries.id, deliveryId)))
}

/** @throws AppError delivery_not_found */
export function toDeliveryInFull(
  ctx: Pick<Context, 'actor'>,
  [row]: Awaited<ReturnType<typeof selectDelivery>>,
): z.infer<typeof DeliveryInFull> {
  if (!row) throw new AppError('delivery_not_found')
  const { delivery, headers, body, answerExcerpt, answerTruncated, answerHeaders } = row
  return {
    ...toDelivery(ctx, delivery),
    request: headers && { headers: visibleHeaders(ctx, headers), body },
    answerExcerpt: answerExcerpt && visibleResponse(ctx, answerExcerpt, delivery.url),
    answerTruncated,
    answerHeaders: answerHeaders && visibleResponseHeaders(ctx, answerHeaders),
  }
}

/** Hides fresh signatures from people who may not send events, because a signature is enough to send one. */
function visibleHeaders({ actor }: Pick<Context, 'actor'>, headers: Record<string, string>) {
  if (actor && isAllowed(actor, 'editor')) return headers
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !/signature/i.test(name)))
}

/** A redirect often leads to the same path at another host. */
function visibleResponseHeaders(ctx: Pick<Context, 'actor'>, headers: Record<string, string>) {
  const { location } = headers
  return location === undefined ? headers : { ...headers, location: visibleWebhookUrl(ctx, location) }
}

const deliveryColumns = {
  id: webhookDeliveries.id,
  eventId: webhookDeliveries.eventId,
  event: webhookEvents.event,
  postId: sql<
    string | null
  >`case when ${webhookEvents.resource} = 'post' then ${webhookEvents.resourceId} end`,
  slug: webhookEvents.slug,
  title: currentOf('title', webhookEvents),
  url: webhookDeliveries.url,
  status: webhookDeliveries.status,
  error: webhookDeliveries.error,
  durationMs: webhookDeliveries.durationMs,
  arrivedLater: sql<boolean>`${webhookDeliveries.error} is not null and ${webhookEvents.state} = 'delivered'
    and exists (select ${FROM_ARRIVED_LATER})`,
  manual: webhookDeliveries.manual,
  attemptedAt: webhookDeliveries.attemptedAt,
}

type DeliveryRow = Awaited<ReturnType<typeof selectDeliveries>>[number]

function toDelivery(ctx: Pick<Context, 'actor'>, row: DeliveryRow) {
  const url = visibleWebhookUrl(ctx, row.url)
  return { ...row, url, attemptedAt: wireTime(row.attemptedAt) } as Omit<
    DeliveryRow,
    'attemptedAt' | 'error'
  > &
    Pick<z.infer<typeof Delivery>, 'attemptedAt' | 'error'>
}
