/** Enqueues a message that stores a site's versions, for writers that cannot reach Redis. */
import type { Context } from '../context.ts'
import { describeError } from '../core/log.ts'

/** Delays the message, so that one covers all writes of a site in that time. */
const STORE_DELAY_S = 10

/**
 * Enqueues a message, unless this isolate's last one is still undelivered: it will pick up this commit too.
 *
 * @returns true if the queue has a message
 */
export async function storeLater(ctx: Context, siteId: string): Promise<boolean> {
  const { skipUntil, storeMessages } = ctx.caches
  const name = `store ${siteId}`
  const send = async () => {
    const sentAt = Date.now()
    await ctx.queue.send({ kind: 'store', siteId }, { delaySeconds: STORE_DELAY_S })
    skipUntil.set(name, sentAt + STORE_DELAY_S * 1_000)
  }
  try {
    await storeMessages.underWay(name)
    if (Date.now() >= (skipUntil.get(name) ?? 0)) await storeMessages.lead(name, send, ctx.defer)
    return true
  } catch (error) {
    ctx.log('queue.unreachable', { siteId, error: describeError(error) })
    return false
  }
}

/** The same for several sites. */
export async function storeAllLater(ctx: Context, siteIds: string[]): Promise<boolean> {
  const queued = await Promise.all(siteIds.map((id) => storeLater(ctx, id)))
  return queued.every(Boolean)
}
