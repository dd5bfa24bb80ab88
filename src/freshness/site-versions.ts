/**
 * The versions of a site that are current, told by Redis so that Postgres need not be asked.
 *
 * A seqlock for each site, in one key. A writer sets it to a token of its own before it writes and, after its commit,
 * replaces that by the versions that Postgres then has, if its token is still there. During a write, after a writer that
 * died, and after writers that overlapped there are no versions, and readers ask Postgres. A writer that was overtaken starts
 * again with what it then reads. With the token a writer marks the site, so that the sweep publishes what a dead one has left.
 * A token is never used twice, so nothing old is published when Redis has lost its data.
 */
import { eq, inArray, type SQL } from 'drizzle-orm'
import type { Context } from '../context.ts'
import { describeError } from '../core/log.ts'
import { ON_LEADER } from '../core/redis.ts'
import { WRITE_TIMEOUT_MS } from '../db/client.ts'
import { sites } from '../db/schema.ts'
import { sitePages } from '../db/site-pages.ts'
import { addMark } from './marks.ts'
import { publishAllLater } from './publish-later.ts'
import { enqueuePurge, purgesKey, requestPurge } from './purges.ts'
import { retry } from './retry.ts'
import { currentVersions, formatVersions, type Versions } from './versions.ts'

/**
 * How long what Postgres said of a key may be used, whatever Redis says. The sweep of all sites renews it once an hour, and
 * may be some minutes late.
 */
export const AUTH_TTL_MS = 65 * 60_000
/** When every isolate sees a commit that Redis was never told of: that long after the longest write. */
export const EFFECTIVE_AFTER_MS = AUTH_TTL_MS + WRITE_TIMEOUT_MS

/** Pauses between a writer's attempts, each with the context's time limit: about 3 s in all. */
const PAUSES_MS = [100, 400]
/** How long the queue takes at most to publish a site once Redis can be reached. */
const QUEUED_WITHIN_MS = 60_000

/**
 * Publishes sites that were started with one token, each only while no other writer of it has started, and marks those that
 * are named for a purge. Returns how many were published, and 1 if the first mark was set.
 */
const PUBLISH = `${ON_LEADER}
  local published, marked = 0, 0
  for i = 2, #KEYS do
    if redis.call('GET', KEYS[i]) == ARGV[1] then
      redis.call('SET', KEYS[i], ARGV[2 * i - 1])
      published = published + 1
      if ARGV[2 * i] ~= '' then
        if redis.call('ZCARD', KEYS[1]) == 0 then marked = 1 end
        redis.call('ZADD', KEYS[1], ARGV[2], ARGV[2 * i])
      end
    end
  end
  return { published, marked }`

/** Reads versions, for `currentVersions`. */
const READ = `${ON_LEADER}
  return redis.call('MGET', unpack(KEYS))`

/** The key to read for `currentVersions`. */
export function versionKey(ctx: Context, siteId: string): string {
  return `${ctx.config.REDIS_PREFIX}:versions:${siteId}`
}

/** Set by a writer, and never used again. */
const newToken = () => `~${crypto.randomUUID()}`

/** What Postgres has: with the id of a published sitemap, which caches hold. */
export type Latest = Versions & { sitemapId: string | null }
type Site = Latest & { id: string }

/**
 * Runs a write of the site and publishes the versions it led to, before anybody is told of it: a read that starts after
 * sees it. Without versions the site is gone, and Redis forgets it.
 */
export function withSeqlock<Result>(
  ctx: Context,
  siteId: string,
  write: () => Promise<{ result: Result; versions: Latest | undefined }>,
): Promise<Result> {
  return withSeqlocks(ctx, [siteId], async () => {
    const { result, versions } = await write()
    return { result, siteIds: [siteId], latest: versions && { ...versions, id: siteId } }
  })
}

/**
 * The same for a write of several sites. `write` returns those that it changed, which may be more than were known before. If
 * Redis cannot be told, `takesEffectLater` tells the caller, and the queue's consumer goes on trying.
 */
export async function withSeqlocks<Result>(
  ctx: Context,
  siteIds: string[],
  write: () => Promise<{ result: Result; siteIds: string[]; latest?: Site | undefined }>,
): Promise<Result> {
  const token = newToken()
  const started = await tryWithPauses(ctx, [], () => startWrite(ctx, siteIds, token))
  const {
    result,
    siteIds: changed,
    latest,
  } = await write().catch(async (error) => {
    // It may have been committed all the same, and no mark leads the sweep to it.
    if (!started) await publishAllLater(ctx, siteIds)
    // A write that was refused leaves no token behind, which would have every read ask Postgres.
    else if (ctx.written.committed !== 'unknown')
      ctx.defer(tryWithPauses(ctx, [], () => publishLatest(ctx, siteIds)))
    throw error
  })
  const all = [...new Set([...siteIds, ...changed])]
  // A token that Redis has not confirmed may arrive late, and replace what a writer has published since.
  const end = () => (started && latest ? endWrite(ctx, token, latest) : publishLatest(ctx, all))
  if (!(await tryWithPauses(ctx, PAUSES_MS, end))) {
    const areQueued = await publishAllLater(ctx, all)
    ctx.takesEffectLater(areQueued ? QUEUED_WITHIN_MS : EFFECTIVE_AFTER_MS)
  }
  return result
}

async function startWrite(
  ctx: Context,
  siteIds: string[],
  token: string,
  { marked = true } = {},
): Promise<void> {
  if (siteIds.length === 0) return
  const pipeline = ctx.redis.pipeline()
  for (const id of siteIds) {
    if (marked) addMark(ctx, pipeline, 'waiting', id)
    pipeline.set(versionKey(ctx, id), token)
  }
  await pipeline.exec()
}

/** For the consumer of the queue. The site is marked, since its writer could not. @returns false without Redis or Postgres */
export function publishSite(ctx: Context, siteId: string): Promise<boolean> {
  return tryWithPauses(ctx, [], () => publishLatest(ctx, [siteId]))
}

/** `latest` is as of the commit. A writer that has started meanwhile may have read others, so they are read again. */
async function endWrite(ctx: Context, token: string, latest: Site): Promise<void> {
  if ((await publish(ctx, token, [latest])) !== 1) await publishLatest(ctx, [latest.id])
}

/** @returns how many no other writer has started to write */
async function publish(ctx: Context, token: string, sites: Site[]): Promise<number> {
  const values = sites.flatMap((site) => [formatVersions(site), site.sitemapId === null ? '' : site.id])
  const [published, marked] = await ctx.redis.eval<unknown[], unknown[]>(
    PUBLISH,
    [purgesKey(ctx), ...sites.map(({ id }) => versionKey(ctx, id))],
    [token, Date.now(), ...values],
  )
  if (Number(marked) === 1) ctx.defer(enqueuePurge(ctx))
  return Number(published)
}

/**
 * Makes sure that no read is answered with less of the site than Postgres had when these versions of it were read.
 *
 * @returns false when Redis cannot be reached, so that this is certain only after `EFFECTIVE_AFTER_MS`
 */
export function ensurePublished(
  ctx: Context,
  siteId: string,
  latest: Versions | undefined,
): Promise<boolean> {
  return tryWithPauses(ctx, PAUSES_MS, async () => {
    const [value] = await readVersions(ctx, [siteId])
    if (latest && isStale(latest, value)) await publishLatest(ctx, [siteId])
  })
}

/** For a batch whose other statements write the site itself, or its keys, or read what the versions must have. */
export function selectVersions(ctx: Context, siteId: string | SQL) {
  return ctx.db.select(versionColumns).from(sites).where(eq(sites.id, siteId))
}

export const versionColumns = {
  authVersion: sites.authVersion,
  contentVersion: sites.contentVersion,
  slugVersions: sites.slugVersions,
  publishedVersion: sites.publishedVersion,
  publishedSlugVersions: sites.publishedSlugVersions,
  sitemapId: sites.sitemapId,
}

/**
 * Publishes the versions of the sites whose published ones are stale: after a writer that died, an outage of Redis, or
 * SQL by hand.
 *
 * @param siteIds null for all sites
 * @returns how many
 */
export async function publishStaleVersions(
  ctx: Context,
  _now: Date,
  siteIds: string[] | null,
): Promise<number> {
  let published = 0
  const gone = new Set(siteIds)
  for await (const page of sitePages(ctx.db, siteIds)) {
    for (const { id } of page) gone.delete(id)
    const values = await readVersions(
      ctx,
      page.map(({ id }) => id),
    )
    const stale = page.filter((site, i) => isStale(site, values[i]))
    const staleIds = stale.map(({ id }) => id)
    // A stale site without a mark may have a writer in progress: it is marked in case that writer dies.
    await publishLatest(ctx, staleIds, { marked: siteIds === null })
    published += stale.length
  }
  await forgetSites(ctx, [...gone])
  return published
}

async function readVersions(ctx: Context, siteIds: string[]): Promise<unknown[]> {
  const keys = siteIds.map((id) => versionKey(ctx, id))
  return keys.length === 0 ? [] : ctx.redis.eval<[], unknown[]>(READ, keys, [])
}

/** An empty write: a new token, and under it what Postgres has. */
async function publishLatest(ctx: Context, siteIds: string[], { marked = true } = {}): Promise<void> {
  if (siteIds.length === 0) return
  const token = newToken()
  await startWrite(ctx, siteIds, token, { marked })
  // Read after the token was set. A writer that starts from here on keeps it from being published.
  const latest = await ctx.db
    .select({ id: sites.id, ...versionColumns })
    .from(sites)
    .where(inArray(sites.id, siteIds))
  if (latest.length > 0) await publish(ctx, token, latest)
  const found = new Set(latest.map(({ id }) => id))
  const gone = siteIds.filter((id) => !found.has(id))
  await forgetSites(ctx, gone)
  // No row says any more which of them caches may have a sitemap of.
  for (const id of gone) await requestPurge(ctx, id)
}

/** A deleted site has no current version. Its other keys in Redis expire. */
async function forgetSites(ctx: Context, siteIds: string[]): Promise<void> {
  if (siteIds.length > 0) await ctx.redis.del(...siteIds.map((id) => versionKey(ctx, id)))
}

function isStale(latest: Pick<Versions, 'authVersion' | 'contentVersion'>, value: unknown): boolean {
  const versions = currentVersions(value)
  return versions?.authVersion !== latest.authVersion || versions.contentVersion !== latest.contentVersion
}

/** Tries again after each of the pauses. @returns whether Redis has been told; a failure is logged */
async function tryWithPauses(
  ctx: Context,
  pausesMs: number[],
  attempt: () => Promise<unknown>,
): Promise<boolean> {
  try {
    await retry(pausesMs, attempt)
    return true
  } catch (error) {
    ctx.log('versions.unpublished', { error: describeError(error) })
    return false
  }
}
