/** `webhook.test`, which anyone with a key of the site can send. */
import { sql } from 'drizzle-orm'
import { createLimiter, Ratelimit } from '../access/rate-limiter.ts'
import type { Context } from '../context.ts'
import { requireRole } from '../core/actor.ts'
import { AppError } from '../core/errors.ts'
import { describeError } from '../core/log.ts'
import { secondsUntil } from '../core/time.ts'
import { sites, webhookEndpoints, webhookEvents } from '../db/schema.ts'
import { writeAs } from '../db/write.ts'
import { markSite } from '../freshness/marks.ts'
import { beginAttempt, sendAttempt } from './deliver.ts'
import { findWebhook } from './endpoint.ts'
import type { Payload } from './event-kinds.ts'
import type { Outcome } from './outcome.ts'

const MAX_TESTS_PER_MINUTE = 10

/** `sent` is null if another attempt claimed the event, such as the sweep's if this one was slow. */
type TestResult =
  | { sent: { deliveryId: string; outcome: Outcome } | null }
  | { refused: 'too_many'; retryAfterSeconds: number }

/** Sends to the first endpoint by default. @throws AppError webhook_url_missing; webhook_not_found */
export async function sendTestEvent(
  ctx: Context,
  site: { id: string },
  endpointId = site.id,
): Promise<TestResult> {
  requireRole(ctx, 'editor')
  const isThere = await findWebhook(ctx, site, endpointId)
  const missing = new AppError(endpointId === site.id ? 'webhook_url_missing' : 'webhook_not_found')
  if (!isThere) throw missing
  const retryAfterSeconds = await countTest(ctx, site)
  if (retryAfterSeconds > 0) return { refused: 'too_many', retryAfterSeconds }
  const eventId = await insertTestEvent(ctx, site, endpointId)
  if (!eventId) throw missing
  const attempt = await beginAttempt(ctx, eventId)
  return { sent: attempt && { deliveryId: attempt.deliveryId, outcome: await sendAttempt(ctx, attempt) } }
}

/** @returns seconds to wait; 0 within the limit or if Redis is not reached in time */
async function countTest(ctx: Context, site: { id: string }): Promise<number> {
  const limiter = createLimiter(ctx, 'webhook-test', Ratelimit.fixedWindow(MAX_TESTS_PER_MINUTE, '1 m'))
  try {
    const { success, reset } = await limiter.limit(site.id)
    return success ? 0 : secondsUntil(reset)
  } catch (error) {
    ctx.log('webhook_test.uncounted', { error: describeError(error) })
    return 0
  }
}

/** @returns the event's id, or null if the site has no such endpoint */
async function insertTestEvent(
  ctx: Context,
  site: { id: string },
  endpointId: string,
): Promise<string | null> {
  const payload = JSON.stringify({
    event: 'webhook.test',
    siteId: site.id,
    at: new Date().toISOString(),
    message: 'This is a test of your webhook. No post has changed.',
  } satisfies Payload<'webhook.test'>)
  await markSite(ctx, site)
  const insertion = ctx.db.execute(sql`
    insert into ${webhookEvents} (site_id, endpoint_id, event, payload)
    select s.id, w.id, 'webhook.test', ${payload}
    from ${webhookEndpoints} w join ${sites} s on s.id = w.site_id
    where w.site_id = ${site.id} and w.id = ${endpointId}::uuid
    for key share of s
    returning id`)
  const [result] = await writeAs(ctx, [insertion])
  return (result.rows[0] as { id: string } | undefined)?.id ?? null
}
