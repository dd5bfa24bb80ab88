/** The message that has the queue publish a site, for writers that cannot reach Redis. */
import type { Context } from '../context.ts'
import { describeError } from '../core/log.ts'

/** A message waits that long, so that one is enough for all writes of a site meanwhile. */
const PUBLISH_DELAY_S = 10

/**
 * Sends the message that has the queue publish the site, unless this isolate has sent one that is not delivered yet: that one
 * finds what has been committed by now.
 *
 * @returns whether the queue has a message
 */
export async function publishLater(ctx: Context, siteId: string): Promise<boolean> {
  const { skipUntil, publications } = ctx.caches
  const name = `publish ${siteId}`
  const send = async () => {
    const sentAt = Date.now()
    await ctx.queue.send({ kind: 'publish', siteId }, { delaySeconds: PUBLISH_DELAY_S })
    skipUntil.set(name, sentAt + PUBLISH_DELAY_S * 1_000)
  }
  try {
    await publications.underWay(name)
    if (Date.now() >= (skipUntil.get(name) ?? 0)) await publications.lead(name, send, ctx.defer)
    return true
  } catch (error) {
    ctx.log('queue.unreachable', { siteId, error: describeError(error) })
    return false
  }
}

/** The same for several. */
export async function publishAllLater(ctx: Context, siteIds: string[]): Promise<boolean> {
  const queued = await Promise.all(siteIds.map((id) => publishLater(ctx, id)))
  return queued.every(Boolean)
}
