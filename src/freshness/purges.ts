/**
 * Purges published sitemaps from the caches in front of the Worker. A write marks its site in Redis together with the versions
 * it stores, and the first mark enqueues a delayed message. The consumer purges all marked sites in one call, so that any
 * number of writes stays within the Free plan's five purges a minute. A mark stays until no response from before the write
 * can still be cached. If the consumer dies, the sweep purges.
 */

import type { Context } from '../context.ts'
import { describeError } from '../core/log.ts'
import { READ_TIMEOUT_MS } from '../db/client.ts'
import { addMark, marksKey, parseMarks, readMarks, removeMarks } from './marks.ts'

/** https://developers.cloudflare.com/cache/how-to/purge-cache/#availability-and-limits */
const PURGE_EVERY_S = 12
const MAX_TAGS = 100
/** The next sweep retries a refused purge. */
const SWEPT_WITHIN_MS = 60_000
/** How long a read from before a write may take to respond and be cached, after Postgres has replied. */
const ANSWER_MS = 1_000

/** The `Cache-Tag` of a site's published sitemap. */
export function sitemapTag(siteId: string): string {
  return `sitemap-${siteId}`
}

/** The sorted set of marks, for the Redis script that sets them. */
export function purgesKey(ctx: Context): string {
  return marksKey(ctx, 'purges')
}

/** Enqueues the purge for the first mark. If that fails, the sweep purges. */
export async function enqueuePurge(ctx: Context): Promise<void> {
  try {
    await ctx.queue.send({ kind: 'purge' }, { delaySeconds: PURGE_EVERY_S })
  } catch (error) {
    ctx.log('queue.unreachable', { error: describeError(error) })
  }
}

/** Marks a site whose sitemap was unpublished, because storing its versions no longer does. */
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
 * Purges a sitemap that must disappear at once. Mark the site too, because the purge may be refused, and a read in progress
 * may refill the cache.
 *
 * @returns false when the purge is refused
 */
export async function purgeAtOnce(ctx: Context, siteId: string): Promise<boolean> {
  try {
    await ctx.purgeCache([sitemapTag(siteId)])
    // Delays the purges of other sites by 12 s, or not at all without Redis.
    await ctx.redis.set(turnKey(ctx), '1', { ex: PURGE_EVERY_S }).catch(() => {})
    // Their own message may find this turn taken and end.
    await enqueuePurge(ctx)
    return true
  } catch (error) {
    ctx.log('purge.failed', { siteId, error: describeError(error) })
    return false
  }
}

/** Purges a sitemap and feeds that still show hidden content, or reports when the sweep will. */
export async function purgeHidden(ctx: Context, siteId: string): Promise<void> {
  if (!(await purgeAtOnce(ctx, siteId))) ctx.takesEffectLater(SWEPT_WITHIN_MS)
}

/**
 * Purges all marked sites, unless there was a purge in the last 12 s. Whoever made that one continues, or the next sweep does.
 *
 * @returns how many sites were marked
 * @throws Error when the purge is refused or Redis is unreachable. The marks stay.
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
