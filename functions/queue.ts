/**
 * The consumer of the queue. An event's message is acknowledged once its event is claimed, and the POST goes on after it,
 * so that a slow receiver blocks no message. A failure before the claim retries the message; an attempt whose Worker died
 * is closed by the sweep. A site's message comes back until its versions are published. Purges that fail are left to the
 * sweep. Deletions and rebuilds go on for some seconds a message.
 */
import * as z from 'zod/mini'
import { rebuildManyBundles } from '../src/content/posts/schema-bundles.ts'
import type { Context } from '../src/foundation/context.ts'
import { doors, roles } from '../src/foundation/enums.ts'
import { describeError } from '../src/foundation/log.ts'
import { purgeSitemaps } from '../src/freshness/purges.ts'
import { publishSite } from '../src/freshness/site-versions.ts'
import { continueDeletion } from '../src/sites/deletion.ts'
import { beginAttempt, sendAttempt } from '../src/webhooks/deliver.ts'
import { createContext } from './http/context.ts'
import type { Bindings } from './http/env.ts'

const RETRY_DELAY_SECONDS = 10
/** Until the sweep closes the attempt: a claim that may have been made must be recognised before the message is retried. */
const CLAIM_TIMEOUT_MS = 60_000

const Message = z.object({
  eventId: z.optional(z.uuid()),
  publish: z.optional(z.uuid()),
  purge: z.optional(z.boolean()),
  deletion: z.optional(z.uuid()),
  rebuild: z.optional(z.uuid()),
  actor: z.nullish(
    z.object({
      id: z.nullable(z.string()),
      name: z.nullable(z.string()),
      role: z.enum(roles),
      door: z.enum(doors),
      address: z.string(),
    }),
  ),
})

/** Returns when every message is acknowledged or retried; POSTs may still be running. */
export async function queue(batch: MessageBatch<unknown>, env: Bindings, execution: ExecutionContext) {
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
    const {
      eventId,
      publish,
      purge,
      deletion,
      rebuild,
      actor = null,
    } = Message.safeParse(message.body).data ?? {}
    if (publish) await publishOrComeBack(ctx, publish)
    if (purge) await purgeOrLeave(ctx)
    if (deletion) await continueDeletion(ctx, deletion)
    if (rebuild)
      await rebuildManyBundles({ ...ctx, actor: actor && { ...actor, token: null } }, { id: rebuild })
    const attempt = eventId ? await beginAttempt(ctx, eventId, { claimTimeoutMs: CLAIM_TIMEOUT_MS }) : null
    message.ack()
    if (attempt) ctx.defer(sendAttempt(ctx, attempt))
  } catch (error) {
    ctx.log('queue.message_retried', { error: describeError(error) })
    message.retry({ delaySeconds: RETRY_DELAY_SECONDS })
  }
}

/** A new message, since one is retried ten times at most and Redis may be away for longer. */
async function publishOrComeBack(ctx: Context, siteId: string): Promise<void> {
  if (await publishSite(ctx, siteId)) return
  await ctx.queue.send({ publish: siteId }, { delaySeconds: RETRY_DELAY_SECONDS })
}

async function purgeOrLeave(ctx: Context): Promise<void> {
  await purgeSitemaps(ctx).catch((error) => ctx.log('purge.failed', { error: describeError(error) }))
}
