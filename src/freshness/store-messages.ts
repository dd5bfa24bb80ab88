/** For writers that cannot reach Redis: a queue message stores the versions of a site. */
import type { Context } from '../context.ts'
import { describeError } from '../core/log.ts'

/** One message covers all writes of a site in this time. */
const STORE_DELAY_S = 10

/** @returns false if the queue is unreachable */
export async function enqueueStore(ctx: Context, siteIds: string[]): Promise<boolean> {
  const sent = await Promise.all(siteIds.map((siteId) => enqueueStoreOf(ctx, siteId)))
  return sent.every(Boolean)
}

/** Skips the message if this isolate's last one is undelivered, and covers this commit. */
async function enqueueStoreOf(ctx: Context, siteId: string): Promise<boolean> {
  const { skipUntil, storeMessages } = ctx.caches
  const name = `store ${siteId}`
  const sendIfDue = async () => {
    const now = Date.now()
    if (now < (skipUntil.get(name) ?? 0)) return
    await ctx.queue.send({ kind: 'store', siteId }, { delaySeconds: STORE_DELAY_S })
    skipUntil.set(name, now + STORE_DELAY_S * 1_000)
  }
  try {
    await storeMessages.share(name, sendIfDue, ctx.defer)
    return true
  } catch (error) {
    ctx.log('queue.unreachable', { siteId, error: describeError(error) })
    return false
  }
}
