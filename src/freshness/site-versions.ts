/**
 * The current versions of each site in Redis, so that reads need not ask Postgres. One key per site is a seqlock: before a write,
 * the writer sets a unique token and marks the site for the sweep, in case it dies. After the commit, it replaces its token with
 * the new versions, if the token is still there. Readers that find a token ask Postgres.
 */
import { eq, inArray, type SQL } from 'drizzle-orm'
import type { Context } from '../context.ts'
import { describeError } from '../core/log.ts'
import { ON_LEADER } from '../core/redis.ts'
import { WRITE_TIMEOUT_MS } from '../db/client.ts'
import { sites } from '../db/schema.ts'
import { sitePages } from '../db/site-pages.ts'
import { addMarks } from './marks.ts'
import { enqueuePurge, purgesKey, requestPurge } from './purges.ts'
import { retry } from './retry.ts'
import { enqueueStore } from './store-messages.ts'
import type { Sweep } from './sweep.ts'
import { currentVersions, formatVersions, type Versions } from './versions.ts'

/** Maximum age of a cached key, even if Redis confirms it. An hourly sweep renews them, and may be a few minutes late. */
export const AUTH_TTL_MS = 65 * 60_000
/** Every isolate sees a commit after this time, even if it never reached Redis. */
export const EFFECTIVE_AFTER_MS = AUTH_TTL_MS + WRITE_TIMEOUT_MS

/** With the context's timeouts, about 3 s in total. */
const PAUSES_MS = [100, 400]
/** Once Redis is reachable. */
const QUEUED_WITHIN_MS = 60_000

/** Lua cannot pass more than some thousand values to a command. */
const SITES_AT_ONCE = 500

/** Only where the writer's token is still there. Returns how many it stored, and 1 if it set the first mark for a purge. */
const STORE = `${ON_LEADER}
  local values, marks, marked = {}, {}, 0
  for i, token in ipairs(redis.call('MGET', unpack(KEYS, 2))) do
    if token == ARGV[1] then
      table.insert(values, KEYS[i + 1])
      table.insert(values, ARGV[2 * i + 1])
      if ARGV[2 * i + 2] ~= '' then
        table.insert(marks, ARGV[2])
        table.insert(marks, ARGV[2 * i + 2])
      end
    end
  end
  if #values > 0 then redis.call('MSET', unpack(values)) end
  if #marks > 0 then
    if redis.call('ZCARD', KEYS[1]) == 0 then marked = 1 end
    redis.call('ZADD', KEYS[1], unpack(marks))
  end
  return { #values / 2, marked }`

const READ = `${ON_LEADER}
  return redis.call('MGET', unpack(KEYS))`

export function versionKey(ctx: Context, siteId: string): string {
  return `${ctx.config.REDIS_PREFIX}:versions:${siteId}`
}

const newToken = () => `~${crypto.randomUUID()}`

export type Latest = Versions & { sitemapId: string | null }
type Site = Latest & { id: string }

/** Stores the new versions before responding, so that later reads see the write. Without versions, the site is deleted. */
export function withSeqlock<Result>(
  ctx: Context,
  siteId: string,
  write: () => Promise<{ result: Result; versions: Latest | undefined }>,
): Promise<Result> {
  return withSeqlocks(ctx, [siteId], async () => {
    const { result, versions } = await write()
    return { result, latest: versions ? [{ ...versions, id: siteId }] : [] }
  })
}

/** `latest`: sites with their versions as of the commit, also some not in `siteIds`. If Redis is down, the queue stores them later. */
export async function withSeqlocks<Result>(
  ctx: Context,
  siteIds: string[],
  write: () => Promise<{ result: Result; latest: Site[] }>,
): Promise<Result> {
  const token = newToken()
  const hasStarted = await tryWithPauses(ctx, [], () => startWrite(ctx, siteIds, token))
  const { result, latest } = await write().catch(async (error) => {
    // The write may have been committed, and without a mark the sweep would miss it.
    if (!hasStarted) await enqueueStore(ctx, siteIds)
    // With the token of a failed write, every read would ask Postgres.
    else if (ctx.written.committed !== 'unknown')
      ctx.defer(tryWithPauses(ctx, [], () => storeLatest(ctx, siteIds)))
    throw error
  })
  const all = [...new Set([...siteIds, ...latest.map(({ id }) => id)])]
  const areStored = await tryWithPauses(ctx, PAUSES_MS, async () => {
    // An unconfirmed token may arrive late and overwrite a later writer's versions.
    const stored = hasStarted ? await store(ctx, token, latest) : 0
    // Another writer has started since, or a site has no versions.
    if (stored < all.length) await storeLatest(ctx, all)
  })
  if (!areStored) {
    const areQueued = await enqueueStore(ctx, all)
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
  if (marked) addMarks(ctx, pipeline, 'waiting', siteIds)
  pipeline.mset(Object.fromEntries(siteIds.map((id) => [versionKey(ctx, id), token])))
  await pipeline.exec()
}

/** Marks the site, because its writer could not. @returns false if Redis or Postgres is unreachable */
export function storeVersions(ctx: Context, siteId: string): Promise<boolean> {
  return tryWithPauses(ctx, [], () => storeLatest(ctx, [siteId]))
}

/** @returns the number of sites stored: those that no other writer has started to write */
async function store(ctx: Context, token: string, sites: Site[]): Promise<number> {
  let stored = 0
  for (let from = 0; from < sites.length; from += SITES_AT_ONCE) {
    const some = sites.slice(from, from + SITES_AT_ONCE)
    const values = some.flatMap((site) => [formatVersions(site), site.sitemapId === null ? '' : site.id])
    const [count, marked] = await ctx.redis.eval<unknown[], unknown[]>(
      STORE,
      [purgesKey(ctx), ...some.map(({ id }) => versionKey(ctx, id))],
      [token, Date.now(), ...values],
    )
    if (Number(marked) === 1) ctx.defer(enqueuePurge(ctx))
    stored += Number(count)
  }
  return stored
}

/** Makes sure that Redis has versions at least as new as `latest`. @returns false if it cannot */
export function ensureStored(ctx: Context, siteId: string, latest: Versions | undefined): Promise<boolean> {
  return tryWithPauses(ctx, PAUSES_MS, async () => {
    const [value] = await readVersions(ctx, [siteId])
    if (latest && isStale(latest, value)) await storeLatest(ctx, [siteId])
  })
}

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

/** Versions get stale after a dead writer, a Redis outage or manual SQL. @returns how many sites */
export async function storeStaleVersions(ctx: Context, { siteIds }: Pick<Sweep, 'siteIds'>): Promise<number> {
  let stored = 0
  const gone = new Set(siteIds)
  for await (const page of sitePages(ctx.db, siteIds)) {
    for (const { id } of page) gone.delete(id)
    const values = await readVersions(
      ctx,
      page.map(({ id }) => id),
    )
    const stale = page.filter((site, i) => isStale(site, values[i]))
    const staleIds = stale.map(({ id }) => id)
    // A stale site without a mark may have a writer in progress. The mark covers that writer's death.
    await storeLatest(ctx, staleIds, { marked: siteIds === null })
    stored += stale.length
  }
  await forgetSites(ctx, [...gone])
  return stored
}

async function readVersions(ctx: Context, siteIds: string[]): Promise<unknown[]> {
  const keys = siteIds.map((id) => versionKey(ctx, id))
  return keys.length === 0 ? [] : ctx.redis.eval<[], unknown[]>(READ, keys, [])
}

async function storeLatest(ctx: Context, siteIds: string[], { marked = true } = {}): Promise<void> {
  if (siteIds.length === 0) return
  const token = newToken()
  await startWrite(ctx, siteIds, token, { marked })
  // Read after the token is set, so that a later writer's token prevents the store.
  const latest = await ctx.db
    .select({ id: sites.id, ...versionColumns })
    .from(sites)
    .where(inArray(sites.id, siteIds))
  await store(ctx, token, latest)
  const found = new Set(latest.map(({ id }) => id))
  const gone = siteIds.filter((id) => !found.has(id))
  await forgetSites(ctx, gone)
  // With the row gone, we cannot know if caches hold its sitemap.
  for (const id of gone) await requestPurge(ctx, id)
}

async function forgetSites(ctx: Context, siteIds: string[]): Promise<void> {
  if (siteIds.length > 0) await ctx.redis.del(...siteIds.map((id) => versionKey(ctx, id)))
}

function isStale(latest: Pick<Versions, 'authVersion' | 'contentVersion'>, value: unknown): boolean {
  const versions = currentVersions(value)
  return versions?.authVersion !== latest.authVersion || versions.contentVersion !== latest.contentVersion
}

async function tryWithPauses(
  ctx: Context,
  pausesMs: number[],
  attempt: () => Promise<unknown>,
): Promise<boolean> {
  try {
    await retry(pausesMs, attempt)
    return true
  } catch (error) {
    ctx.log('versions.not_stored', { error: describeError(error) })
    return false
  }
}
