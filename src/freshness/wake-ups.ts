/** Queue messages that say which events are to be sent. A lost one costs time only: the sweep finds the event in the outbox. */
import type { Context } from '../context.ts'
import { describeError } from '../core/log.ts'

/** Queues' limit for `sendBatch`. */
const MAX_MESSAGES_PER_BATCH = 100
/** A site's messages at once: a few events for each of its webhooks. The messages of other sites come in between. */
export const MAX_AT_ONCE = 20

/** Sends the messages of new events of a site. Of many, one message that sends them in turns with those of other sites. */
export async function enqueueEvents(ctx: Context, siteId: string, eventIds: string[]): Promise<void> {
  try {
    if (eventIds.length > MAX_AT_ONCE) await ctx.queue.send({ kind: 'events', siteId })
    else await sendWakeUps(ctx, eventIds)
  } catch (error) {
    ctx.log('queue.unreachable', { eventIds, error: describeError(error) })
  }
}

export async function sendWakeUps(ctx: Context, eventIds: string[]): Promise<void> {
  for (let from = 0; from < eventIds.length; from += MAX_MESSAGES_PER_BATCH) {
    const batch = eventIds.slice(from, from + MAX_MESSAGES_PER_BATCH)
    await ctx.queue.sendBatch(batch.map((eventId) => ({ body: { kind: 'event', eventId } })))
  }
}
