/**
 * Delivers an event: claims it in the outbox, POSTs it and logs the outcome. At most one POST: only the attempt with the claim
 * sends, and nothing is retried after the POST, because the receiver may have got it. Errors before the claim can be retried.
 */
import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { Context } from '../context.ts'
import { requireRole } from '../core/actor.ts'
import { AppError } from '../core/errors.ts'
import { describeError } from '../core/log.ts'
import { WRITE_TIMEOUT_MS } from '../db/client.ts'
import { webhookEvents } from '../db/schema.ts'
import { markSite } from '../freshness/marks.ts'
import { pausesUntil, retry } from '../freshness/retry.ts'
import { EFFECTIVE_AFTER_MS, ensureStored, selectVersions } from '../freshness/site-versions.ts'
import type { Versions } from '../freshness/versions.ts'
import { validateWebhookUrl } from './address.ts'
import { type Claimable, claimEvent, completeAttempt, INTERRUPTED_AFTER_MS } from './attempt.ts'
import { type EndpointRow, selectEndpoints } from './endpoint.ts'
import { getDelivery } from './log.ts'
import { type NothingSent, noResponse, type Outcome } from './outcome.ts'
import { enqueueAlerts } from './raised-alert.ts'
import { decryptSigningSecrets } from './secret.ts'
import { MAX_POST_MS, postEvent } from './send.ts'
import { signatureHeaders } from './signature.ts'

export const USER_AGENT = 'headless-content-api/1.0 (+webhooks)'
const CLAIM_TIMEOUT_MS = 2_000
const CLAIM_RETRY_INTERVAL_MS = 250
const MAX_RECORD_TRIES = 3
const RECORD_PAUSE_MS = 1_000
/** The last try must end before the sweep closes the attempt, also after a slow claim and a slow POST. */
const RECORD_RETRIED_MS = INTERRUPTED_AFTER_MS - MAX_POST_MS - 2 * WRITE_TIMEOUT_MS - RECORD_PAUSE_MS

type EventRow = typeof webhookEvents.$inferSelect

export type Attempt = { deliveryId: string; event: EventRow; request: PreparedRequest }

type PreparedRequest =
  | { url: string; headers: Record<string, string>; body: Uint8Array }
  | { url: string; headers: null; error: NothingSent }

type ClaimOptions = { which: Claimable; claimTimeoutMs: number }

/**
 * Claims a pending event. @returns null if it is unknown, finished or claimed by another attempt
 * @throws AppError post_not_yet_visible, or any internal error. The event can then be retried
 */
export async function beginAttempt(
  ctx: Context,
  eventId: string,
  { claimTimeoutMs = CLAIM_TIMEOUT_MS } = {},
): Promise<Attempt | null> {
  const found = await findEvent(ctx, and(eq(webhookEvents.id, eventId), eq(webhookEvents.state, 'pending')))
  return found ? prepareAndClaim(ctx, found, { which: 'pending', claimTimeoutMs }) : null
}

/** Never throws. */
export async function sendAttempt(ctx: Context, { deliveryId, event, request }: Attempt): Promise<Outcome> {
  const outcome = await send(ctx, request)
  const { answerExcerpt: _, answerHeaders: __, ...logged } = outcome
  ctx.log('webhook.attempt', { eventId: event.id, siteId: event.siteId, ...logged })
  await recordOutcome(ctx, { ...outcome, deliveryId })
  return outcome
}

/** Resends a finished event at once. @throws AppError event_not_found, webhook_not_found, event_under_way, post_not_yet_visible */
export async function resendEvent(ctx: Context, site: { id: string }, eventId: string) {
  requireRole(ctx, 'editor')
  const found = await findEvent(ctx, and(eq(webhookEvents.id, eventId), eq(webhookEvents.siteId, site.id)))
  if (!found) throw new AppError('event_not_found')
  if (!found.endpoint) throw new AppError('webhook_not_found')
  await markSite(ctx, site)
  const attempt = await prepareAndClaim(ctx, found, { which: 'finished', claimTimeoutMs: CLAIM_TIMEOUT_MS })
  if (!attempt) throw new AppError('event_under_way')
  await sendAttempt(ctx, attempt)
  return getDelivery(ctx, site, attempt.deliveryId)
}

/** `versions` are those of its site, read after the event. */
type FoundEvent = { event: EventRow; endpoint: EndpointRow | undefined; versions: Versions | undefined }

async function findEvent(ctx: Context, where: SQL | undefined): Promise<FoundEvent | undefined> {
  const ofEvent = sql`(select ${webhookEvents.siteId} from ${webhookEvents} where ${where})`
  const [[event], endpoints, [versions]] = await ctx.db.batch([
    ctx.db.select().from(webhookEvents).where(where),
    selectEndpoints(ctx, ofEvent),
    selectVersions(ctx, ofEvent),
  ])
  return event && { event, endpoint: endpoints.find(({ id }) => id === event.endpointId), versions }
}

/** The claim comes last, after everything that can fail. */
async function prepareAndClaim(
  ctx: Context,
  { event, endpoint, versions }: FoundEvent,
  options: ClaimOptions,
): Promise<Attempt | null> {
  await ensurePostVisible(ctx, event, versions)
  const request = await prepareRequest(ctx, event, endpoint)
  const attempt = { deliveryId: crypto.randomUUID(), event, request }
  return (await claimWithRetries(ctx, attempt, options)) ? attempt : null
}

/** Receivers read the post as soon as they get the event. @throws AppError post_not_yet_visible while Redis is unreachable */
async function ensurePostVisible(
  ctx: Context,
  event: EventRow,
  versions: Versions | undefined,
): Promise<void> {
  if (event.resourceId === null || (await ensureStored(ctx, event.siteId, versions))) return
  if (Date.now() < event.createdAt.getTime() + EFFECTIVE_AFTER_MS) throw new AppError('post_not_yet_visible')
}

async function prepareRequest(
  ctx: Context,
  event: EventRow,
  endpoint: EndpointRow | undefined,
): Promise<PreparedRequest> {
  if (!endpoint) return { url: '', headers: null, error: 'endpoint_removed' }
  const { url } = endpoint
  const problem = validateWebhookUrl(url, { allowLoopback: ctx.config.ALLOW_LOOPBACK_WEBHOOKS })
  if (problem) return { url, headers: null, error: 'blocked_address' }
  const body = new TextEncoder().encode(event.payload)
  const secrets = await decryptSigningSecrets(ctx, endpoint)
  if (!secrets) return { url, headers: null, error: 'secret_undecryptable' }
  const signatures = await signatureHeaders({ id: event.id, at: new Date(), body, ...secrets })
  return {
    url,
    headers: { ...signatures, 'Content-Type': 'application/json', 'User-Agent': USER_AGENT },
    body,
  }
}

/**
 * Retries a claim that got no reply: it may have succeeded, and then no other attempt would send the event. Its idempotency key,
 * the delivery id, never leaves this invocation, because another one could not know if the POST had begun.
 */
function claimWithRetries(
  ctx: Context,
  { deliveryId, event, request: { url, headers } }: Attempt,
  { which, claimTimeoutMs }: ClaimOptions,
): Promise<boolean> {
  return retry(
    pausesUntil(Date.now() + claimTimeoutMs, CLAIM_RETRY_INTERVAL_MS),
    () => claimEvent(ctx, { deliveryId, eventId: event.id, url, headers }, which),
    (error) => ctx.log('webhook.claim_failed', { eventIds: [event.id], error: describeError(error) }),
  )
}

async function send(ctx: Context, request: PreparedRequest): Promise<Outcome> {
  if (!request.headers) return noResponse(request.error)
  const { outcome, drained } = await postEvent(ctx.fetch, request.url, request.headers, request.body)
  ctx.defer(drained)
  return outcome
}

/** Retries, because the POST cannot be undone. The sweep closes a row that stays open. */
async function recordOutcome(ctx: Context, outcome: Outcome & { deliveryId: string }): Promise<void> {
  const pauses = pausesUntil(Date.now() + RECORD_RETRIED_MS, RECORD_PAUSE_MS).take(MAX_RECORD_TRIES - 1)
  let tries = 0
  const record = () => {
    tries += 1
    return completeAttempt(ctx, outcome)
  }
  const logFailure = (error: unknown) =>
    ctx.log('webhook.record_failed', {
      deliveryIds: [outcome.deliveryId],
      tries,
      error: describeError(error),
    })
  try {
    const raised = await retry(pauses, record, logFailure)
    if (raised) await enqueueAlerts(ctx, raised)
  } catch (error) {
    logFailure(error)
  }
}
