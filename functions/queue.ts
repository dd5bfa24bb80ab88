/**
 * Wake-ups for events. An event is claimed before its message is acknowledged and POSTed after: a failure of ours
 * before the claim hands the message back, a slow receiver holds no message up, and what a dying Worker leaves
 * behind is the sweep's.
 */
import { z } from 'zod'
import { describeError } from '../src/log.ts'
import { claimAttempt } from '../src/webhooks/deliver.ts'
import type { Bindings } from './http/env.ts'
import { createContext } from './http/services.ts'

const RETRY_SECONDS = 10
const Wakeup = z.object({ eventId: z.uuid() })

/** A batch is small enough (wrangler.toml) for all its POSTs to be under way at once. */
export async function queue(batch: MessageBatch<unknown>, env: Bindings, execution: ExecutionContext) {
  const waitUntil = (work: Promise<unknown>) => execution.waitUntil(work)
  await Promise.all(batch.messages.map((message) => consume(message, env, waitUntil)))
}

async function consume(
  message: Message<unknown>,
  env: Bindings,
  waitUntil: (work: Promise<unknown>) => void,
) {
  const ctx = createContext(env, waitUntil, { writes: true, logFields: { messageId: message.id } })
  try {
    const wakeup = Wakeup.safeParse(message.body)
    const attempt = wakeup.success ? await claimAttempt(ctx, wakeup.data.eventId) : null
    message.ack()
    if (attempt) ctx.defer(attempt())
  } catch (error) {
    ctx.log('event.unclaimed', { error: describeError(error) })
    message.retry({ delaySeconds: RETRY_SECONDS })
  }
}
