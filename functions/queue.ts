/**
 * The consumer of the queue. An event's message is acknowledged once its event is claimed, and the POST goes on after it, so that
 * a slow receiver blocks no message. A failure before the claim retries the message; an attempt whose Worker died is closed by the
 * sweep. Of a site with many events, a message brings the next ones, and so does each of a resend of all that failed. A site's
 * message comes back until its versions are published. Purges that fail are left to the sweep. Deletions and rebuilds go on for
 * some seconds a message. Alerts are claimed and told like an event.
 */
import * as z from 'zod/mini'
import { claimAlerts } from '../src/alerts/alert.ts'
import { raiseQuotaAlert } from '../src/alerts/quota.ts'
import { tellAlerts } from '../src/alerts/tell.ts'
import { rebuildManyBundles } from '../src/content/posts/schema-bundles.ts'
import type { Context, QueueMessage } from '../src/context.ts'
import { isUnderMaintenance } from '../src/core/config.ts'
import { doors, quotaCounters, roles } from '../src/core/enums.ts'
import { describeError } from '../src/core/log.ts'
import { publishLater } from '../src/freshness/publish-later.ts'
import { purgeSitemaps } from '../src/freshness/purges.ts'
import { publishSite } from '../src/freshness/site-versions.ts'
import { continueDeletion } from '../src/sites/deletion.ts'
import { beginAttempt, sendAttempt } from '../src/webhooks/deliver.ts'
import { enqueueNextEvents } from '../src/webhooks/event.ts'
import { continueResend } from '../src/webhooks/resend-turns.ts'
import { createContext } from './http/context.ts'
import type { Bindings } from './http/env.ts'

const RETRY_DELAY_SECONDS = 10
/** A message is retried ten times, so none is lost within two and a half hours. */
const MAINTENANCE_DELAY_SECONDS = 900
/** Until the sweep closes the attempt: a claim that may have been made must be recognised before the message is retried. */
const CLAIM_TIMEOUT_MS = 60_000

const Actor = z.pipe(
  z.object({
    id: z.nullable(z.string()),
    name: z.nullable(z.string()),
    role: z.enum(roles),
    door: z.enum(doors),
    address: z.string(),
  }),
  // The message names the site that it reaches.
  z.transform((actor) => ({ ...actor, sites: null, token: null })),
)

const UsedQuota = z.object({
  siteId: z.uuid(),
  counter: z.enum(quotaCounters),
  percent: z.int(),
  limit: z.int(),
  day: z.iso.date(),
})

const Message: z.ZodMiniType<QueueMessage> = z.union([
  z.object({ eventId: z.uuid() }),
  z.object({ events: z.uuid() }),
  z.object({ publish: z.uuid() }),
  z.object({ purge: z.literal(true) }),
  z.object({ deletion: z.uuid() }),
  z.object({ rebuild: z.uuid(), actor: z.nullable(Actor), actId: z.optional(z.uuid()) }),
  z.object({ alerts: z.uuid() }),
  z.object({ resend: z.uuid(), turn: z.int() }),
  z.object({ quota: UsedQuota }),
])

/** Returns when every message is acknowledged or retried; POSTs may still be running. */
export async function queue(batch: MessageBatch<unknown>, env: Bindings, execution: ExecutionContext) {
  if (isUnderMaintenance(env)) return batch.retryAll({ delaySeconds: MAINTENANCE_DELAY_SECONDS })
  // Each message has one request open at a time, and max_batch_size in wrangler.toml keeps within Workers' limit of six.
  await Promise.all(batch.messages.map((message) => consume(message, env, execution)))
}

async function consume(message: Message<unknown>, env: Bindings, execution: ExecutionContext): Promise<void> {
  const ctx = createContext(env, execution, {
    writes: true,
    background: true,
    logFields: { messageId: message.id },
  })
  try {
    const { data } = Message.safeParse(message.body)
    // One of another release, say, after a rollback.
    if (!data) ctx.log('queue.message_unknown', { fields: Object.keys(Object(message.body)) })
    else if ('events' in data) await enqueueNextEvents(ctx, data.events)
    else if ('publish' in data) await publishOrRetry(ctx, data.publish)
    else if ('purge' in data) await purgeOrLeave(ctx)
    else if ('deletion' in data) await continueDeletion(ctx, data.deletion)
    else if ('rebuild' in data) {
      const { rebuild, actor, actId = ctx.actId } = data
      await rebuildManyBundles({ ...ctx, actor, actId }, { id: rebuild })
    } else if ('quota' in data) await raiseQuotaAlert(ctx, data.quota)
    else if ('resend' in data) await continueResend(ctx, data.resend, data.turn)
    else if ('alerts' in data) {
      const claimed = await claimAlerts(ctx, data.alerts)
      if (claimed) ctx.defer(tellAlerts(ctx, claimed))
    } else {
      const attempt = await beginAttempt(ctx, data.eventId, { claimTimeoutMs: CLAIM_TIMEOUT_MS })
      if (attempt) ctx.defer(sendAttempt(ctx, attempt))
    }
    message.ack()
  } catch (error) {
    ctx.log('queue.message_retried', { error: describeError(error) })
    message.retry({ delaySeconds: RETRY_DELAY_SECONDS })
  }
}

/** Sends a new message for a site that could not be published, since one is retried ten times at most. */
async function publishOrRetry(ctx: Context, siteId: string): Promise<void> {
  if ((await publishSite(ctx, siteId)) || (await publishLater(ctx, siteId))) return
  throw new Error('The site is neither published nor queued')
}

async function purgeOrLeave(ctx: Context): Promise<void> {
  await purgeSitemaps(ctx).catch((error) => ctx.log('purge.failed', { error: describeError(error) }))
}
