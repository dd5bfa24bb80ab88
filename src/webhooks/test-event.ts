/** `webhook.test`: an event that whoever has a key of the site may ask for, within a limit of its own. */
import { Ratelimit } from '@upstash/ratelimit'
import { sql } from 'drizzle-orm'
import type { Context } from '../context.ts'
import { webhookEndpoints, webhookEvents } from '../db/schema.ts'
import { AppError } from '../errors.ts'
import { describeError } from '../log.ts'
import { claimAttempt } from './deliver.ts'
import { findWebhook } from './endpoint.ts'
import type { Outcome } from './send.ts'

const TESTS_A_MINUTE = 10

/** `sent` is null when the webhook was removed meanwhile. */
type Tested =
  | { sent: { deliveryId: string; outcome: Outcome } | null }
  | { refused: 'too_many'; retryAfterSeconds: number }

/**
 * Sends a `webhook.test` event to the site's webhook, ten times a minute at most.
 *
 * @throws AppError webhook_url_missing
 */
export async function sendTestEvent(ctx: Context, site: { id: string }): Promise<Tested> {
  if (!(await findWebhook(ctx, site))) throw new AppError('webhook_url_missing')
  const retryAfterSeconds = await count(ctx, site)
  if (retryAfterSeconds > 0) return { refused: 'too_many', retryAfterSeconds }
  const attempt = await claimAttempt(ctx, await insert(ctx, site))
  return { sent: attempt && { deliveryId: attempt.deliveryId, outcome: await attempt.post() } }
}

/** @returns the seconds to wait; 0 when there is room, and when Redis cannot be reached in time */
async function count(ctx: Context, site: { id: string }): Promise<number> {
  const limiter = new Ratelimit({
    redis: ctx.redis,
    limiter: Ratelimit.fixedWindow(TESTS_A_MINUTE, '1 m'),
    prefix: `${ctx.config.REDIS_PREFIX}:webhook-test`,
    ephemeralCache: false,
    // The Redis client has the time limit.
    timeout: 0,
  })
  try {
    const { success, reset } = await limiter.limit(site.id)
    return success ? 0 : Math.max(1, Math.ceil((reset - Date.now()) / 1_000))
  } catch (error) {
    ctx.log('webhook_test.uncounted', { error: describeError(error) })
    return 0
  }
}

/** @returns the event's id */
async function insert(ctx: Context, site: { id: string }): Promise<string> {
  const payload = JSON.stringify({
    event: 'webhook.test',
    siteId: site.id,
    at: new Date().toISOString(),
    message: 'This is a test of your webhook. No post has changed.',
  })
  const result = await ctx.db.execute(sql`
    insert into ${webhookEvents} (site_id, event, payload)
    select w.site_id, 'webhook.test', ${payload} from ${webhookEndpoints} w where w.site_id = ${site.id}
    returning id`)
  const row = result.rows[0] as { id: string } | undefined
  if (!row) throw new AppError('webhook_url_missing')
  return row.id
}
