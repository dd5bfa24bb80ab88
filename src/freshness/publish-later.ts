/** Enqueues the publication of a site, for writers that cannot reach Redis. */
import type { Context } from '../context.ts'
import { describeError } from '../core/log.ts'

/** Delays the message, so that one covers all writes of a site in that time. */
const PUBLISH_DELAY_S = 10

/**
 * Enqueues a publish message, unless this isolate's last one is still undelivered: it will pick up this commit too.
 *
 * @returns true if the queue has a message
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

/** The same for several sites. */
export async function publishAllLater(ctx: Context, siteIds: string[]): Promise<boolean> {
  const queued = await Promise.all(siteIds.map((id) => publishLater(ctx, id)))
  return queued.every(Boolean)
}
