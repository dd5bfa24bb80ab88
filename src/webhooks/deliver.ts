/** From an event in the outbox to one signed POST and its log row. */
import { and, eq, type SQL } from 'drizzle-orm'
import type { Context } from '../context.ts'
import { webhookEndpoints, webhookEvents } from '../db/schema.ts'
import { AppError } from '../errors.ts'
import { describeError } from '../log.ts'
import { EFFECTIVE_AFTER_MS, ensurePublished } from '../site-versions.ts'
import { brokenRule } from './address.ts'
import { type Closing, claimEvent, completeDelivery, getDelivery, type Prepared } from './log.ts'
import { openSecret } from './secret.ts'
import { type Outcome, postEvent, unanswered } from './send.ts'
import { signatureHeaders } from './signature.ts'

const USER_AGENT = 'headless-content-api/1.0 (+webhooks)'
const LOG_TRIES = 3
const LOG_RETRY_MS = 1_000
const CLAIM_RETRY_MS = 250
/** How long a claim without a reply is repeated where somebody waits for the outcome. */
const PATIENCE_MS = 2_000

/** The POST that a successful claim entitles to, and its row on the log. */
export type Attempt = { deliveryId: string; post: () => Promise<Outcome> }

/**
 * Prepares and claims an event that waits to be sent, which all happens before anything is sent: an error thrown
 * here is our own, and the event may be tried again.
 *
 * @returns null when there is nothing to send: unknown, claimed by another, finished, or without an endpoint now
 */
export async function claimAttempt(
  ctx: Context,
  eventId: string,
  { patienceMs = PATIENCE_MS } = {},
): Promise<Attempt | null> {
  const found = await find(ctx, and(eq(webhookEvents.id, eventId), eq(webhookEvents.state, 'pending')))
  if (!found) return null
  const { event, endpoint } = found
  await ensureSeen(ctx, event)
  const options = { manual: false, patienceMs }
  if (endpoint) return prepare(ctx, event, endpoint, options)
  const deliveryId = await claimForCertain(ctx, eventId, { url: '', headers: null }, options)
  if (deliveryId) await writeDown(ctx, deliveryId, unanswered('endpoint_removed'))
  return null
}

/**
 * Sends a finished event again, at once and to the URL of now: the same id and body, a new timestamp and signature,
 * a log row of its own.
 *
 * @throws AppError event_missing, webhook_missing, event_under_way, or event_unseen while its post may not be seen yet
 */
export async function resendEvent(ctx: Context, site: { id: string }, eventId: string) {
  const found = await find(ctx, and(eq(webhookEvents.id, eventId), eq(webhookEvents.siteId, site.id)))
  if (!found) throw new AppError('event_missing')
  if (!found.endpoint) throw new AppError('webhook_missing')
  await ensureSeen(ctx, found.event)
  const attempt = await prepare(ctx, found.event, found.endpoint, { manual: true, patienceMs: PATIENCE_MS })
  if (!attempt) throw new AppError('event_under_way')
  await attempt.post()
  return getDelivery(ctx, site, attempt.deliveryId)
}

/**
 * Who hears of a post reads it at once, and must see it.
 *
 * @throws AppError event_unseen while Redis cannot be told of a new event's post
 */
async function ensureSeen(ctx: Context, event: typeof webhookEvents.$inferSelect): Promise<void> {
  if (event.postId === null || (await ensurePublished(ctx, event.siteId))) return
  if (Date.now() < event.createdAt.getTime() + EFFECTIVE_AFTER_MS) throw new AppError('event_unseen')
}

async function find(ctx: Context, where: SQL | undefined) {
  const [row] = await ctx.db
    .select({ event: webhookEvents, endpoint: webhookEndpoints })
    .from(webhookEvents)
    .leftJoin(webhookEndpoints, eq(webhookEndpoints.siteId, webhookEvents.siteId))
    .where(where)
  return row
}

async function prepare(
  ctx: Context,
  event: typeof webhookEvents.$inferSelect,
  endpoint: typeof webhookEndpoints.$inferSelect,
  options: ClaimOptions,
): Promise<Attempt | null> {
  const secret = await openSecret(ctx.config, event.siteId, endpoint.secret)
  const previous = endpoint.previousSecretExpiresAt && endpoint.previousSecretExpiresAt > new Date()
  const previousSecret = previous
    ? await openSecret(ctx.config, event.siteId, endpoint.previousSecret!)
    : null
  const body = new TextEncoder().encode(event.payload)
  const signatures = await signatureHeaders({ id: event.id, at: new Date(), body, secret, previousSecret })
  const headers = { ...signatures, 'Content-Type': 'application/json', 'User-Agent': USER_AGENT }
  const rule = brokenRule(endpoint.url, { allowLoopback: ctx.config.ALLOW_LOOPBACK_WEBHOOKS })
  const sent = { url: endpoint.url, headers: rule ? null : headers }
  const deliveryId = await claimForCertain(ctx, event.id, sent, options)
  if (!deliveryId) return null
  return {
    deliveryId,
    async post() {
      const { outcome, rest } = rule
        ? { outcome: unanswered('blocked_address' as const), rest: null }
        : await postEvent(ctx.fetch, endpoint.url, headers, body)
      if (rest) ctx.defer(rest)
      await writeDown(ctx, deliveryId, outcome)
      const { answerExcerpt: _, ...logged } = outcome
      ctx.log('webhook.attempt', { eventId: event.id, siteId: event.siteId, ...logged })
      return outcome
    },
  }
}

type ClaimOptions = { manual: boolean; patienceMs: number }

/**
 * Claims under a new id. A claim that got no reply may have been made, and then nobody else would send the event: it is
 * repeated, and recognised by its id. The id never leaves this invocation, since another one could not tell whether the
 * POST had begun.
 */
async function claimForCertain(ctx: Context, eventId: string, prepared: Prepared, options: ClaimOptions) {
  const deliveryId = crypto.randomUUID()
  for (const end = Date.now() + options.patienceMs; ; ) {
    try {
      return (await claimEvent(ctx, deliveryId, eventId, prepared, options)) ? deliveryId : null
    } catch (error) {
      if (Date.now() > end) throw error
      ctx.log('event.claim_unanswered', { eventId, deliveryId, error: describeError(error) })
      await new Promise((resolve) => setTimeout(resolve, CLAIM_RETRY_MS))
    }
  }
}

/** The POST is done and cannot be undone, so its row is tried more than once; the sweep closes what still fails. */
async function writeDown(ctx: Context, deliveryId: string, outcome: Closing): Promise<void> {
  for (let tried = 1; ; tried++) {
    try {
      return await completeDelivery(ctx, deliveryId, outcome)
    } catch (error) {
      ctx.log('webhook.unlogged', { deliveryId, tried, error: describeError(error) })
      if (tried === LOG_TRIES) return
      await new Promise((resolve) => setTimeout(resolve, LOG_RETRY_MS))
    }
  }
}
