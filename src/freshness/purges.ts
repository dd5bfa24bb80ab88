/** Purges published sitemaps: all marked sites at once, every 12 s, because Cloudflare's Free plan allows five a minute. */

import type { Context } from '../context.ts'
import { describeError } from '../core/log.ts'
import { READ_TIMEOUT_MS } from '../db/client.ts'
import { addMarks, marksKey, parseMarks, readMarks, removeMarks } from './marks.ts'

/** https://developers.cloudflare.com/cache/how-to/purge-cache/#availability-and-limits */
const PURGE_EVERY_S = 12
const MAX_TAGS = 100
const SWEPT_WITHIN_MS = 60_000
/** After Postgres has replied, a read from before the write may take this long to reach the cache. */
const RESPONSE_MS = 1_000

export function sitemapTag(siteId: string): string {
  return `sitemap-${siteId}`
}

export function purgesKey(ctx: Context): string {
  return marksKey(ctx, 'purges')
}

/** If it fails, the sweep purges. */
export async function enqueuePurge(ctx: Context): Promise<void> {
  try {
    await ctx.queue.send({ kind: 'purge' }, { delaySeconds: PURGE_EVERY_S })
  } catch (error) {
    ctx.log('queue.unreachable', { error: describeError(error) })
  }
}

/** For a site whose sitemap was unpublished: storing its versions no longer sets the mark. */
export async function requestPurge(ctx: Context, siteId: string): Promise<void> {
  try {
    const pipeline = ctx.redis.pipeline()
    addMarks(ctx, pipeline, 'purges', [siteId])
    await pipeline.exec()
    await enqueuePurge(ctx)
  } catch (error) {
    ctx.log('purge.unmarked', { siteId, error: describeError(error) })
  }
}

/** Mark the site too: the purge may be refused, and a read in progress may refill the cache. @returns false if refused */
export async function purgeAtOnce(ctx: Context, siteId: string): Promise<boolean> {
  try {
    await ctx.purgeCache([sitemapTag(siteId)])
    // Takes this turn, which delays the purges of other sites by 12 s. If Redis is down, it delays none.
    await ctx.redis.set(turnKey(ctx), '1', { ex: PURGE_EVERY_S }).catch(() => {})
    // Send a message for the other sites, because theirs may find this turn taken and do nothing.
    await enqueuePurge(ctx)
    return true
  } catch (error) {
    ctx.log('purge.failed', { siteId, error: describeError(error) })
    return false
  }
}

export async function purgeHidden(ctx: Context, siteId: string): Promise<void> {
  if (!(await purgeAtOnce(ctx, siteId))) ctx.takesEffectLater(SWEPT_WITHIN_MS)
}

/** Keeps a mark until no response from before the write can still be cached. @throws Error if refused, or if Redis is unreachable */
export async function purgeSitemaps(ctx: Context): Promise<number> {
  const startedAt = Date.now()
  const reading = ctx.redis.pipeline()
  readMarks(ctx, reading, 'purges', MAX_TAGS)
  const marks = parseMarks((await reading.exec())[0])
  if (marks.length === 0 || !(await takeTurn(ctx))) return marks.length
  await ctx.purgeCache(marks.map(({ id }) => sitemapTag(id)))
  const readMs = READ_TIMEOUT_MS * ctx.config.TIMEOUT_FACTOR + RESPONSE_MS
  const settled = marks.filter(({ at }) => at <= startedAt - readMs)
  if ((await removeMarks(ctx, 'purges', settled)) > 0) await enqueuePurge(ctx)
  return marks.length
}

async function takeTurn(ctx: Context): Promise<boolean> {
  return (await ctx.redis.set(turnKey(ctx), '1', { nx: true, ex: PURGE_EVERY_S })) !== null
}

const turnKey = (ctx: Context) => `${purgesKey(ctx)}:turn`
