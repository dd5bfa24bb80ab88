/** From an event in the outbox to one signed POST and its log row. */
import { and, eq } from 'drizzle-orm'
import type { Context } from '../context.ts'
import { webhookEndpoints, webhookEvents } from '../db/schema.ts'
import { describeError } from '../log.ts'
import { brokenRule } from './address.ts'
import { claim, complete } from './log.ts'
import { open } from './secret.ts'
import { type Outcome, send } from './send.ts'
import { signatureHeaders } from './signature.ts'

const USER_AGENT = 'headless-content-api/1.0 (+webhooks)'
const LOG_TRIES = 3
const LOG_RETRY_MS = 1_000

/** The POST that a successful claim entitles to. */
export type Attempt = () => Promise<Outcome>

/**
 * Prepares and claims an event, which all happens before anything is sent: an error thrown here is our own, and
 * the event may be tried again.
 *
 * @returns null when there is nothing to send: unknown, claimed by another, finished, or without an endpoint now
 */
export async function claimAttempt(ctx: Context, eventId: string): Promise<Attempt | null> {
  const [row] = await ctx.db
    .select({ event: webhookEvents, endpoint: webhookEndpoints })
    .from(webhookEvents)
    .leftJoin(webhookEndpoints, eq(webhookEndpoints.siteId, webhookEvents.siteId))
    .where(and(eq(webhookEvents.id, eventId), eq(webhookEvents.state, 'pending')))
  if (!row) return null
  const { event, endpoint } = row
  if (!endpoint) {
    const deliveryId = await claim(ctx, eventId, '')
    if (deliveryId)
      await complete(ctx, deliveryId, { status: null, error: 'endpoint_removed', durationMs: 0 })
    return null
  }
  const secret = await open(ctx.config, event.siteId, endpoint.secret)
  const previous = endpoint.previousSecretExpiresAt && endpoint.previousSecretExpiresAt > new Date()
  const previousSecret = previous ? await open(ctx.config, event.siteId, endpoint.previousSecret!) : null
  const body = new TextEncoder().encode(event.payload)
  const signatures = await signatureHeaders({ id: event.id, at: new Date(), body, secret, previousSecret })
  const headers = { ...signatures, 'Content-Type': 'application/json', 'User-Agent': USER_AGENT }
  const deliveryId = await claim(ctx, eventId, endpoint.url)
  if (!deliveryId) return null
  return async () => {
    const { outcome, rest } = await post(ctx, endpoint.url, headers, body)
    ctx.defer(rest)
    await writeDown(ctx, deliveryId, outcome)
    ctx.log('webhook.attempt', { eventId, siteId: event.siteId, ...outcome })
    return outcome
  }
}

async function post(ctx: Context, url: string, headers: Record<string, string>, body: Uint8Array) {
  const rule = brokenRule(url, { allowLoopback: ctx.config.ALLOW_LOOPBACK_WEBHOOKS })
  if (!rule) return send(ctx.fetch, url, headers, body)
  return {
    outcome: { status: null, error: 'blocked_address', durationMs: 0 } satisfies Outcome,
    rest: Promise.resolve(),
  }
}

/** The POST is done and cannot be undone, so its row is tried more than once; the sweep closes what still fails. */
async function writeDown(ctx: Context, deliveryId: string, outcome: Outcome): Promise<void> {
  for (let tried = 1; ; tried++) {
    try {
      return await complete(ctx, deliveryId, outcome)
    } catch (error) {
      ctx.log('webhook.unlogged', { deliveryId, tried, error: describeError(error) })
      if (tried === LOG_TRIES) return
      await new Promise((resolve) => setTimeout(resolve, LOG_RETRY_MS))
    }
  }
}
