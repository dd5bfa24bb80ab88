/** For writers that cannot reach Redis: the queue stores the versions of their sites. */
import type { Context } from '../context.ts'
import { describeError } from '../core/log.ts'

/** One message covers all writes of a site in this time. */
const STORE_DELAY_S = 10

/** Skips the message if this isolate's last one is undelivered, and covers this commit. @returns false without the queue */
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

export async function storeAllLater(ctx: Context, siteIds: string[]): Promise<boolean> {
  const queued = await Promise.all(siteIds.map((id) => storeLater(ctx, id)))
  return queued.every(Boolean)
}
