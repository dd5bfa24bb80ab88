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

/** Workers lets so many requests of an invocation wait for an answer; a lane waits for one at a time. */
const LANES = 6
/** A message that finds no free lane by then goes back to the queue, for an invocation that has some. */
const PATIENCE_MS = 2_000
const RETRY_SECONDS = 10

const Wakeup = z.object({ eventId: z.uuid() })

/** Ends when each message is claimed or handed back; POSTs that are still under way go on. */
export async function queue(batch: MessageBatch<unknown>, env: Bindings, execution: ExecutionContext) {
  const waiting = [...batch.messages]
  const outOfPatience = new Promise((resolve) => setTimeout(resolve, PATIENCE_MS)).then(() => {
    for (const message of waiting.splice(0)) message.retry()
  })
  const lane = async () => {
    for (let message = waiting.shift(); message; message = waiting.shift()) {
      const { posted } = await consume(message, env, execution)
      if (waiting.length > 0) await Promise.race([posted, outOfPatience])
    }
  }
  await Promise.all(Array.from({ length: LANES }, lane))
}

/** @returns the POST that a claim led to, under way */
async function consume(
  message: Message<unknown>,
  env: Bindings,
  execution: ExecutionContext,
): Promise<{ posted?: Promise<unknown> }> {
  const ctx = createContext(env, (work) => execution.waitUntil(work), {
    writes: true,
    logFields: { messageId: message.id },
  })
  try {
    const wakeup = Wakeup.safeParse(message.body)
    const attempt = wakeup.success ? await claimAttempt(ctx, wakeup.data.eventId) : null
    message.ack()
    if (!attempt) return {}
    const posted = attempt.post()
    ctx.defer(posted)
    return { posted }
  } catch (error) {
    ctx.log('event.unclaimed', { error: describeError(error) })
    message.retry({ delaySeconds: RETRY_SECONDS })
    return {}
  }
}
