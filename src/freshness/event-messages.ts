/** Queue messages for events to send. A lost one only costs time, because the sweep finds the event in the outbox. */
import type { Context } from '../context.ts'
import { describeError } from '../core/log.ts'
import type { QueueMessage } from '../queue-message.ts'

/** Cloudflare Queues' limit for `sendBatch`. */
const MAX_MESSAGES_PER_BATCH = 100
/** Events per site and turn, so that other sites get their turn. */
export const MAX_AT_ONCE = 20

export async function enqueueEvents(ctx: Context, siteId: string, eventIds: string[]): Promise<void> {
  try {
    if (eventIds.length > MAX_AT_ONCE) await ctx.queue.send({ kind: 'events', siteId })
    else await sendEventMessages(ctx, eventIds)
  } catch (error) {
    ctx.log('queue.unreachable', { eventIds, error: describeError(error) })
  }
}

export function sendEventMessages(ctx: Context, eventIds: string[]): Promise<void> {
  return sendMessages(
    ctx,
    eventIds.map((eventId) => ({ kind: 'event', eventId })),
  )
}

/** In as few calls as possible, because a Worker's calls are limited. */
export async function sendMessages(ctx: Context, messages: QueueMessage[]): Promise<void> {
  for (let from = 0; from < messages.length; from += MAX_MESSAGES_PER_BATCH) {
    const batch = messages.slice(from, from + MAX_MESSAGES_PER_BATCH)
    await ctx.queue.sendBatch(batch.map((body) => ({ body })))
  }
}
