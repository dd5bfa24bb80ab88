/** Acknowledges an event's message with the claim and POSTs afterwards, so that a slow receiver blocks nothing. */
import { claimAlerts } from '../src/alerts/alert.ts'
import { raiseQuotaAlert } from '../src/alerts/quota.ts'
import { sendAlerts } from '../src/alerts/send.ts'
import { rebuildManyBundles } from '../src/content/posts/schema-bundles.ts'
import type { Context } from '../src/context.ts'
import { isUnderMaintenance } from '../src/core/config.ts'
import { describeError } from '../src/core/log.ts'
import { purgeSitemaps } from '../src/freshness/purges.ts'
import { storeVersions } from '../src/freshness/site-versions.ts'
import { enqueueStore } from '../src/freshness/store-messages.ts'
import { QueueMessage } from '../src/queue-message.ts'
import { continueDeletion } from '../src/sites/deletion.ts'
import { INTERRUPTED_AFTER_MS } from '../src/webhooks/attempt.ts'
import { beginAttempt, sendAttempt } from '../src/webhooks/deliver.ts'
import { enqueueNextEvents } from '../src/webhooks/event.ts'
import { continueResend } from '../src/webhooks/resend-turns.ts'
import { app } from './app.ts'
import { continueImport } from './console/transfer/run.ts'
import { createContext } from './http/context.ts'
import type { Bindings } from './http/env.ts'

const RETRY_DELAY_SECONDS = 10
/** Cloudflare Queues retries a message ten times, so none is lost within two and a half hours. */
const MAINTENANCE_DELAY_SECONDS = 900
/** POSTs may still be running when it returns. */
export async function queue(batch: MessageBatch<unknown>, env: Bindings, execution: ExecutionContext) {
  if (isUnderMaintenance(env)) return batch.retryAll({ delaySeconds: MAINTENANCE_DELAY_SECONDS })
  // Each message has one open request, and max_batch_size in wrangler.toml stays within Workers' limit of six.
  await Promise.all(batch.messages.map((message) => consume(message, env, execution)))
}

async function consume(message: Message<unknown>, env: Bindings, execution: ExecutionContext): Promise<void> {
  const ctx = createContext(env, execution, {
    writes: true,
    background: true,
    logFields: { messageId: message.id },
  })
  try {
    const { data } = QueueMessage.safeParse(message.body)
    // The sweep picks up the work of unreadable messages, except for a rebuild.
    if (data) await handle(ctx, data, env, execution)
    else ctx.log('queue.message_unknown', { fields: Object.keys(Object(message.body)) })
    message.ack()
  } catch (error) {
    ctx.log('queue.message_retried', { error: describeError(error) })
    message.retry({ delaySeconds: RETRY_DELAY_SECONDS })
  }
}

async function handle(
  ctx: Context,
  message: QueueMessage,
  env: Bindings,
  execution: ExecutionContext,
): Promise<unknown> {
  switch (message.kind) {
    case 'event': {
      // Retries an unanswered claim here, because a later run of this message could not recognise it.
      const attempt = await beginAttempt(ctx, message.eventId, { claimTimeoutMs: INTERRUPTED_AFTER_MS })
      if (attempt) ctx.defer(sendAttempt(ctx, attempt))
      return
    }
    case 'events':
      return enqueueNextEvents(ctx, message.siteId)
    case 'store':
      return storeOrRetry(ctx, message.siteId)
    case 'purge':
      return purgeMarked(ctx)
    case 'deletion':
      return continueDeletion(ctx, message.siteId)
    case 'rebuild': {
      const { siteId, actor, changesetId } = message
      return rebuildManyBundles({ ...ctx, actor, changesetId }, { id: siteId })
    }
    case 'alerts': {
      const claimed = await claimAlerts(ctx, message.siteId)
      if (claimed) ctx.defer(sendAlerts(ctx, claimed))
      return
    }
    case 'resend':
      return continueResend(ctx, message.resendId, message.turn)
    case 'import':
      return continueImport(ctx, { app, env, execution }, message.importId, message.turn)
    case 'quota':
      return raiseQuotaAlert(ctx, message.used)
  }
}

/** Sends a new message when versions cannot be stored, because one is retried ten times at most. */
async function storeOrRetry(ctx: Context, siteId: string): Promise<void> {
  if ((await storeVersions(ctx, siteId)) || (await enqueueStore(ctx, [siteId]))) return
  throw new Error('The versions are neither stored nor queued')
}

async function purgeMarked(ctx: Context): Promise<void> {
  await purgeSitemaps(ctx).catch((error) => ctx.log('purge.failed', { error: describeError(error) }))
}
