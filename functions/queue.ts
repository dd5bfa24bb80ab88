/**
 * Wake-ups for events. An event is claimed before its message is acknowledged and POSTed after: a failure of ours
 * before the claim hands the message back, a slow receiver holds no message up, and what a dying Worker leaves
 * behind is the sweep's.
 */
import { z } from 'zod'
import { describeError } from '../src/log.ts'
import { claimAttempt } from '../src/webhooks/deliver.ts'
import { createContext } from './http/context.ts'
import type { Bindings } from './http/env.ts'

const RETRY_SECONDS = 10
/** As long as the sweep leaves a claim alone: once the message is handed back, nobody knows whose the claim is. */
const CLAIM_PATIENCE_MS = 60_000

const Wakeup = z.object({ eventId: z.uuid() })

/** Ends when each message is claimed or handed back; POSTs that are still under way go on. */
export async function queue(batch: MessageBatch<unknown>, env: Bindings, execution: ExecutionContext) {
  // A message waits for one request at a time, and wrangler.toml keeps a batch below Workers' limit of six.
  await Promise.all(batch.messages.map((message) => consume(message, env, execution)))
}

async function consume(message: Message<unknown>, env: Bindings, execution: ExecutionContext): Promise<void> {
  const ctx = createContext(env, (work) => execution.waitUntil(work), {
    writes: true,
    logFields: { messageId: message.id },
  })
  try {
    const wakeup = Wakeup.safeParse(message.body)
    const attempt = wakeup.success
      ? await claimAttempt(ctx, wakeup.data.eventId, { patienceMs: CLAIM_PATIENCE_MS })
      : null
    message.ack()
    if (attempt) ctx.defer(attempt.post())
  } catch (error) {
    ctx.log('event.unclaimed', { error: describeError(error) })
    message.retry({ delaySeconds: RETRY_SECONDS })
  }
}
