/**
 * Purges of published sitemaps from the caches in front of the Worker. A write of a site that has one marks it in Redis
 * with the versions it publishes, and the first mark sends a delayed message to the queue. Its consumer purges all that is
 * marked in one call: however many sites are written, and however often, the Free plan's five purges a minute suffice. A
 * mark stays until no read from before the write can be cached. If the consumer dies, the sweep purges.
 */

import type { Context } from '../context.ts'
import { describeError } from '../core/log.ts'
import { READ_TIMEOUT_MS } from '../db/client.ts'
import { addMark, marksKey, parseMarks, readMarks, removeMarks } from './marks.ts'

/** https://developers.cloudflare.com/cache/how-to/purge-cache/#availability-and-limits */
const PURGE_EVERY_S = 12
const MAX_TAGS = 100
/** The sweep of each minute purges what a refused purge has left. */
const SWEPT_WITHIN_MS = 60_000
/** How long a read that started before a write may go on and be cached, after Postgres has answered. */
const ANSWER_MS = 1_000

/** Stands for a site's published sitemap in `Cache-Tag`. */
export function sitemapTag(siteId: string): string {
  return `sitemap-${siteId}`
}

/** The sorted set of marks, for a script in Redis that sets them. */
export function purgesKey(ctx: Context): string {
  return marksKey(ctx, 'purges')
}

/** Sends the message for the first mark. Without it, the sweep purges. */
export async function enqueuePurge(ctx: Context): Promise<void> {
  try {
    await ctx.queue.send({ kind: 'purge' }, { delaySeconds: PURGE_EVERY_S })
  } catch (error) {
    ctx.log('queue.unreachable', { error: describeError(error) })
  }
}

/** Marks a site whose sitemap is no longer published, which its versions do not do. */
export async function requestPurge(ctx: Context, siteId: string): Promise<void> {
  try {
    const pipeline = ctx.redis.pipeline()
    addMark(ctx, pipeline, 'purges', siteId)
    await pipeline.exec()
    await enqueuePurge(ctx)
  } catch (error) {
    ctx.log('purge.unmarked', { siteId, error: describeError(error) })
  }
}

/**
 * Purges a sitemap that nobody may see from the next request on. It is to be marked as well: a purge may be refused, and a
 * read that is under way may put it back.
 *
 * @returns false when the purge is refused
 */
export async function purgeAtOnce(ctx: Context, siteId: string): Promise<boolean> {
  try {
    await ctx.purgeCache([sitemapTag(siteId)])
    // Those of other sites come 12 s later, or at once if Redis cannot be reached.
    await ctx.redis.set(turnKey(ctx), '1', { ex: PURGE_EVERY_S }).catch(() => {})
    // The message that they had may find this turn, and end.
    await enqueuePurge(ctx)
    return true
  } catch (error) {
    ctx.log('purge.failed', { siteId, error: describeError(error) })
    return false
  }
}

/** Purges a sitemap and feeds that still show something hidden, or says when the sweep does. */
export async function purgeHidden(ctx: Context, siteId: string): Promise<void> {
  if (!(await purgeAtOnce(ctx, siteId))) ctx.takesEffectLater(SWEPT_WITHIN_MS)
}

/**
 * Purges the marked sites, unless there was a purge in the last 12 s: whoever made it goes on, or else the next sweep.
 *
 * @returns how many sites were marked
 * @throws Error when the purge is refused, or Redis cannot be reached; the marks stay
 */
export async function purgeSitemaps(ctx: Context): Promise<number> {
  const startedAt = Date.now()
  const reading = ctx.redis.pipeline()
  readMarks(ctx, reading, 'purges', MAX_TAGS)
  const marks = parseMarks((await reading.exec())[0])
  if (marks.length === 0 || !(await takeTurn(ctx))) return marks.length
  await ctx.purgeCache(marks.map(({ id }) => sitemapTag(id)))
  const readMs = READ_TIMEOUT_MS * ctx.config.TIMEOUT_FACTOR + ANSWER_MS
  const settled = marks.filter(({ at }) => at <= startedAt - readMs)
  if ((await removeMarks(ctx, 'purges', settled)) > 0) await enqueuePurge(ctx)
  return marks.length
}

async function takeTurn(ctx: Context): Promise<boolean> {
  return (await ctx.redis.set(turnKey(ctx), '1', { nx: true, ex: PURGE_EVERY_S })) !== null
}

const turnKey = (ctx: Context) => `${purgesKey(ctx)}:turn`
