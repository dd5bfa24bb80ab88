/** Sending again, by the operator's hand, what failed in a while and has not arrived: a part of it at a time. */
import { and, asc, eq, gte, lte, not, type SQL, sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import { webhookDeliveries, webhookEvents } from '../db/schema.ts'
import { requireRole } from '../foundation/actor.ts'
import type { Context } from '../foundation/context.ts'
import { AppError } from '../foundation/errors.ts'
import { wireTime } from '../foundation/time.ts'
import { wireShape } from '../foundation/wire-shape.ts'
import { markSite } from '../freshness/marks.ts'
import { ensurePublished } from '../freshness/site-versions.ts'
import {
  type Attempt,
  CLAIM_TIMEOUT_MS,
  claimWithRetries,
  endpointOf,
  prepareRequest,
  recordOutcome,
  send,
} from './deliver.ts'
import { selectEndpoints } from './endpoint.ts'
import { deliveryErrors } from './outcome.ts'

/** Workers' limit for requests that wait for their headers is 6: one is left to write outcomes. */
const SENT_IN_PARALLEL = 5

export const ResentFailed = /* @__PURE__ */ wireShape(() =>
  z
    .object({
      failedUntil: z.iso
        .datetime()
        .check(z.describe('Pass it on, so that what fails again is not sent again')),
      remaining: z.int().check(z.describe('How many events are left')),
      interrupted: z
        .int()
        .check(
          z.describe(
            'How many others are left out, since they may have arrived: the service died while it sent them',
          ),
        ),
      resent: z.array(
        z.object({
          eventId: z.uuid(),
          deliveryId: z.uuid(),
          slug: z.nullable(z.string()),
          status: z.nullable(z.int()),
          error: z.nullable(z.enum(deliveryErrors)),
        }),
      ),
    })
    .register(z.globalRegistry, { id: 'ResentFailed' }),
)

/** `until` is now if it is left out, or still to come. Interrupted events, which may have arrived, are left out unless asked for. */
export type Failed = {
  since: Date
  until?: Date | undefined
  includeInterrupted?: boolean | undefined
}

/** By the clock that events are finished by: by another one, what fails again could be from before it. */
const endOf = ({ until }: Failed) =>
  sql`date_trunc('milliseconds', least(now(), ${until?.toISOString() ?? null}::timestamptz))`.mapWith(
    webhookEvents.finishedAt,
  )

/** That the service died during an attempt. */
const wasInterrupted = sql`exists (
  select from ${webhookDeliveries} d where d.event_id = ${webhookEvents.id} and d.error = 'interrupted')`

/** The events whose last attempt failed then and of which no attempt is known to have arrived. */
const failedThen = (site: { id: string }, failed: Failed) =>
  and(
    eq(webhookEvents.siteId, site.id),
    eq(webhookEvents.state, 'failed'),
    gte(webhookEvents.finishedAt, failed.since),
    lte(webhookEvents.finishedAt, endOf(failed)),
  )

const toSend = (site: { id: string }, failed: Failed) =>
  and(failedThen(site, failed), failed.includeInterrupted ? undefined : not(wasInterrupted))

/** How many there are to send, how many are left out, and the end that they were counted to. */
export async function countFailed(ctx: Context, site: { id: string }, failed: Failed) {
  const [counted] = await selectCount(ctx, site, failed)
  return counted!
}

function selectCount({ db }: Context, site: { id: string }, failed: Failed) {
  return db
    .select({
      remaining: countIf(failed.includeInterrupted ? sql`true` : not(wasInterrupted)),
      interrupted: countIf(failed.includeInterrupted ? sql`false` : wasInterrupted),
      until: endOf(failed),
    })
    .from(webhookEvents)
    .where(failedThen(site, failed))
}

const countIf = (condition: SQL) => sql`count(*) filter (where ${condition})`.mapWith(Number)

/**
 * Sends up to `limit` of them again, those that failed first first, and waits for their outcomes. Nothing is sent twice by two
 * that do this at once, or by one that was stopped and does it again with the `failedUntil` of the answer. Each outcome is written
 * as it ends, so that a Worker that dies leaves only the others of its part unknown.
 *
 * @throws AppError webhook_not_found; post_not_yet_visible while readers may not see the posts
 */
export async function resendFailed(
  ctx: Context,
  site: { id: string },
  failed: Failed,
  limit: number,
): Promise<z.infer<typeof ResentFailed>> {
  requireRole(ctx, 'editor')
  const [events, endpoints, [counted]] = await ctx.db.batch([
    ctx.db
      .select()
      .from(webhookEvents)
      .where(toSend(site, failed))
      .orderBy(asc(webhookEvents.finishedAt), asc(webhookEvents.id))
      .limit(limit),
    selectEndpoints(ctx, sql`${site.id}`),
    selectCount(ctx, site, failed),
  ])
  const until = counted!.until
  if (endpoints.length === 0) throw new AppError('webhook_not_found')
  let resent: z.infer<typeof ResentFailed>['resent'] = []
  if (events.length > 0) {
    await markSite(ctx, site)
    if (!(await ensurePublished(ctx, site.id))) throw new AppError('post_not_yet_visible')
    const attempts = await Promise.all(
      events.map(async (event) => ({
        deliveryId: crypto.randomUUID(),
        event,
        request: await prepareRequest(ctx, event, endpointOf(event, endpoints)),
      })),
    )
    const which = { failedUntil: until }
    resent = await sendAll(
      ctx,
      await claimWithRetries(ctx, attempts, { which, claimTimeoutMs: CLAIM_TIMEOUT_MS }),
    )
  }
  const { remaining, interrupted } = await countFailed(ctx, site, { ...failed, until })
  return { failedUntil: wireTime(until), remaining, interrupted, resent }
}

async function sendAll(ctx: Context, claimed: Attempt[]) {
  const outcomes = new Map<string, Awaited<ReturnType<typeof send>>>()
  const recorded: Promise<void>[] = []
  const waiting = claimed.values()
  const worker = async () => {
    for (const { deliveryId, event, request } of waiting) {
      const outcome = await send(ctx, event, request)
      outcomes.set(deliveryId, outcome)
      // Not waited for: a slow database would delay POSTs beyond their claim's minute.
      recorded.push(recordOutcome(ctx, { ...outcome, deliveryId }))
    }
  }
  await Promise.all(Array.from({ length: SENT_IN_PARALLEL }, worker))
  await Promise.all(recorded)
  return claimed.map(({ deliveryId, event }) => {
    const { status, error } = outcomes.get(deliveryId)!
    return { eventId: event.id, deliveryId, slug: event.slug, status, error }
  })
}
