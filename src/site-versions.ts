/**
 * The versions of a site that are current, told by Redis so that Postgres need not be asked.
 *
 * A seqlock for each site. A writer sets the sequence to a token of its own before it writes and, after its commit,
 * publishes the versions that Postgres then has under that token. Published versions are current only while their token
 * is still the sequence: during a write, after a writer that died, and after writers that overlapped they are stale, and
 * readers ask Postgres. A writer that was overtaken starts again with what it then reads, and the cron publishes
 * anything left stale. A token is never used twice, so nothing old becomes current when Redis loses its data.
 */
import { eq, inArray, type SQL, sql } from 'drizzle-orm'
import type { BatchItem, BatchResponse } from 'drizzle-orm/batch'
import type { Context } from './context.ts'
import { WRITE_TIMEOUT_MS } from './db/client.ts'
import { writeLocked } from './db/lock.ts'
import { sites } from './db/schema.ts'
import { sitePages } from './db/site-pages.ts'
import { describeError } from './log.ts'
import { retry } from './retry.ts'

/** How long an isolate may use what it has cached of a key, whatever Redis says. */
export const AUTH_TTL_MS = 60_000
/** When every isolate sees a commit that Redis was never told of: that long after the longest write. */
export const EFFECTIVE_AFTER_MS = AUTH_TTL_MS + WRITE_TIMEOUT_MS

/** Pauses between a writer's attempts, each with the context's time limit: about 3 s in all. */
const PAUSES_MS = [100, 400]
/** Pauses between the attempts after its answer. Workers allow 30 s for them. */
const DEFERRED_PAUSES_MS = Array.from({ length: 8 }, () => 2_500)

/** Publishes only while no other writer has started. */
const PUBLISH = `
  if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
  redis.call('SET', KEYS[2], ARGV[2])
  return 1`

/** The keys to read, in one MGET, for `currentVersions`. */
export function versionKeys(ctx: Context, siteId: string): [sequence: string, published: string] {
  const key = `${ctx.config.REDIS_PREFIX}:versions:${siteId}`
  return [`${key}:sequence`, `${key}:published`]
}

/** `authVersion` is of a site's settings and keys, `contentVersion` of its content. */
export type Versions = { authVersion: number; contentVersion: number }

/** Null when the published versions are stale, or there are none. */
export function currentVersions([sequence, published]: readonly unknown[]): Versions | null {
  const [token, authVersion, contentVersion] = String(published ?? '').split('/')
  if (!contentVersion || token !== sequence) return null
  return { authVersion: Number(authVersion), contentVersion: Number(contentVersion) }
}

function publishedValue(token: string, { authVersion, contentVersion }: Versions): string {
  return `${token}/${authVersion}/${contentVersion}`
}

/**
 * Runs a write of the site and publishes the versions it led to, before anybody is told of it: a read that starts after
 * sees it. If Redis cannot be told, `takesEffectLater` tells the caller, and the attempts go on.
 */
export async function withSeqlock<Result>(
  ctx: Context,
  siteId: string,
  write: () => Promise<{ result: Result; versions: Versions | undefined }>,
): Promise<Result> {
  const token = crypto.randomUUID()
  const started = await tellRedis(ctx, [], () => ctx.redis.set(versionKeys(ctx, siteId)[0], token))
  const { result, versions } = await write()
  // A sequence that Redis has not confirmed may arrive late, and replace that of a writer that has ended since.
  const end = () => (started ? endWrite(ctx, siteId, token, versions!) : publishLatest(ctx, [siteId]))
  if (versions && !(await tellRedis(ctx, PAUSES_MS, end))) {
    ctx.takesEffectLater()
    ctx.defer(tellRedis(ctx, DEFERRED_PAUSES_MS, () => publishLatest(ctx, [siteId])))
  }
  return result
}

/** `versions` are as of the commit. A writer that has started meanwhile may have read others, so they are read again. */
async function endWrite(ctx: Context, siteId: string, token: string, versions: Versions): Promise<void> {
  const value = publishedValue(token, versions)
  const published = await ctx.redis.eval(PUBLISH, versionKeys(ctx, siteId), [token, value])
  if (Number(published) !== 1) await publishLatest(ctx, [siteId])
}

/**
 * Makes sure that no read is answered with less of the site than Postgres has now.
 *
 * @returns false when Redis cannot be reached, so that this is certain only after `EFFECTIVE_AFTER_MS`
 */
export function ensurePublished(ctx: Context, siteId: string): Promise<boolean> {
  return tellRedis(ctx, PAUSES_MS, async () => {
    const [[latest], values] = await Promise.all([
      selectVersions(ctx, siteId),
      ctx.redis.mget<unknown[]>(...versionKeys(ctx, siteId)),
    ])
    if (latest && isStale(latest, values)) await publishLatest(ctx, [siteId])
  })
}

/** Runs statements that write a site's posts, guides or training rows, with `writeLocked`, and publishes the versions. */
export function writeSite<Statements extends Readonly<[BatchItem<'pg'>, ...BatchItem<'pg'>[]]>>(
  ctx: Context,
  siteId: string,
  statements: Statements,
): Promise<BatchResponse<Statements>> {
  return withSeqlock(ctx, siteId, async () => {
    const results = await writeLocked(ctx.db, siteId, [...statements, selectVersions(ctx, siteId)] as const)
    const [versions] = results.at(-1) as Versions[]
    return { result: results.slice(0, -1) as BatchResponse<Statements>, versions }
  })
}

/** For a batch whose other statements write the site itself, or its keys. */
export function selectVersions(ctx: Context, siteId: string) {
  return ctx.db.select(versionColumns).from(sites).where(eq(sites.id, siteId))
}

/** The version of a site's content that a statement sees, as a column of it. */
export function contentVersionOf(site: { id: string }): SQL<number> {
  return sql`(select ${sites.contentVersion} from ${sites} where ${sites.id} = ${site.id})`.mapWith(
    sites.contentVersion,
  ) as SQL<number>
}

const versionColumns = { authVersion: sites.authVersion, contentVersion: sites.contentVersion }

/**
 * Publishes the versions of all sites whose published ones are stale: after a writer that died, an outage of Redis, or
 * SQL by hand.
 *
 * @returns how many
 */
export async function publishStaleVersions(ctx: Context): Promise<number> {
  let published = 0
  for await (const page of sitePages(ctx.db)) {
    const values = await ctx.redis.mget<unknown[]>(page.flatMap(({ id }) => versionKeys(ctx, id)))
    const stale = page.filter((site, i) => isStale(site, values.slice(2 * i, 2 * i + 2)))
    const staleIds = stale.map(({ id }) => id)
    await publishLatest(ctx, staleIds)
    published += stale.length
  }
  return published
}

/** An empty write: a new token, and under it what Postgres has. */
async function publishLatest(ctx: Context, siteIds: string[]): Promise<void> {
  if (siteIds.length === 0) return
  const token = crypto.randomUUID()
  const starting = ctx.redis.pipeline()
  for (const id of siteIds) starting.set(versionKeys(ctx, id)[0], token)
  await starting.exec()
  // Read after the sequence was set. A writer that starts from here on keeps it from being published.
  const versions = await ctx.db
    .select({ id: sites.id, ...versionColumns })
    .from(sites)
    .where(inArray(sites.id, siteIds))
  const publishing = ctx.redis.pipeline()
  for (const { id, ...latest } of versions) {
    publishing.eval(PUBLISH, versionKeys(ctx, id), [token, publishedValue(token, latest)])
  }
  if (versions.length > 0) await publishing.exec()
}

function isStale(latest: Versions, values: readonly unknown[]): boolean {
  const versions = currentVersions(values)
  return versions?.authVersion !== latest.authVersion || versions.contentVersion !== latest.contentVersion
}

/** Tries again after each of the pauses. @returns whether Redis has been told; a failure is logged */
async function tellRedis(
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
