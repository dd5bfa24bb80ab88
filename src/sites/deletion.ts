/** Closes a site, then deletes it in batches, since one statement would exceed its time limit. The sweep restarts a stopped deletion. */
import { and, desc, eq, inArray, isNotNull, lt, sql } from 'drizzle-orm'
import { deleteSharedAuths } from '../access/credentials.ts'
import { isKeyLive } from '../access/keys.ts'
import type { Context } from '../context.ts'
import { requireRole } from '../core/actor.ts'
import { AppError } from '../core/errors.ts'
import { describeError } from '../core/log.ts'
import { deleteBatch, inTimedBatches } from '../db/batches.ts'
import {
  apiKeys,
  auditLog,
  guides,
  imports,
  postCounts,
  posts,
  redirects,
  sites,
  tombstones,
  trainingRows,
  webhookEndpoints,
  webhookEvents,
} from '../db/schema.ts'
import { writeAs } from '../db/write.ts'
import { purgeAtOnce } from '../freshness/purges.ts'
import { selectVersions, withSeqlock } from '../freshness/site-versions.ts'
import type { Sweep } from '../freshness/sweep.ts'
import { authorColumns, continueAs } from '../people/audit-log.ts'
import { getSiteRow } from './sites.ts'

/** Tables that grow with a site; foreign keys delete the rest. Training rows come before the posts they refer to. */
const CONTENT = [webhookEvents, trainingRows, posts, guides, redirects, tombstones, imports] as const
/** Longer than the work of one message. */
const LEASE_S = 60
const MAX_CONTINUED = 100
/** Until then, the request that started it is still at work. */
const STOPPED_AFTER = '30 seconds'

const COUNTED = { guides, trainingRows, redirects, webhooks: webhookEndpoints }
/** Counting stops here, except for posts, whose total is stored. */
export const MAX_COUNTED = 10_000

/** The numbers of things that a deletion deletes. */
export async function countContents({ db }: Context, siteId: string) {
  const ofSite = sql`where site_id = ${siteId}`
  const counts = Object.entries(COUNTED).map(
    ([name, table]) =>
      sql`(select count(*)::integer from (select from ${table} ${ofSite} limit ${MAX_COUNTED}) c) as ${sql.identifier(name)}`,
  )
  const { rows } = await db.execute(sql`
    select (select coalesce(sum(posts), 0)::integer from ${postCounts} ${ofSite}) as posts,
      (select count(*)::integer from ${apiKeys} where ${and(eq(apiKeys.siteId, sql`${siteId}`), isKeyLive)}) as keys,
      ${sql.join(counts, sql`, `)}`)
  return rows[0] as Record<keyof typeof COUNTED | 'posts' | 'keys', number>
}

/** `confirmation` must be the site's name. Returns false if the queue continues. @throws AppError site_not_found; invalid_query */
export async function deleteSite(
  ctx: Context,
  siteId: string,
  confirmation: string | undefined,
): Promise<boolean> {
  requireRole(ctx, 'admin')
  const { name } = await getSiteRow(ctx, siteId)
  if (confirmation?.normalize('NFC') !== name.normalize('NFC')) {
    throw new AppError('invalid_query', { path: 'confirm', message: "must be the site's name" })
  }
  if (await closeSite(ctx, siteId)) await purgeAtOnce(ctx, siteId)
  const isGone = await deleteContent(ctx, siteId)
  if (!isGone) await enqueueDeletions(ctx, [siteId])
  return isGone
}

/** Runs for some seconds in the starter's name, then enqueues the next message. Meanwhile, duplicate messages do nothing. */
export async function continueDeletion(ctx: Context, siteId: string): Promise<void> {
  const [started] = await ctx.db
    .select(authorColumns)
    .from(sites)
    .leftJoin(auditLog, and(eq(auditLog.resourceId, sites.id), eq(auditLog.action, 'site.deletion_started')))
    .where(and(eq(sites.id, siteId), isNotNull(sites.deletionStartedAt)))
    .orderBy(desc(auditLog.id))
    .limit(1)
  if (!started || !(await acquireLease(ctx, siteId))) return
  const isGone = await deleteContent(continueAs(ctx, started, 'admin'), siteId).finally(() =>
    releaseLease(ctx, siteId),
  )
  if (!isGone) await enqueueDeletions(ctx, [siteId])
}

/** `siteIds` is null for all sites. A deletion that still runs ignores the message. Returns how many are unfinished. */
export async function continueDeletions(ctx: Context, { siteIds }: Pick<Sweep, 'siteIds'>): Promise<number> {
  const found = await ctx.db
    .select({ id: sites.id })
    .from(sites)
    .where(
      and(
        lt(sites.deletionStartedAt, sql`now() - ${STOPPED_AFTER}::interval`),
        siteIds ? inArray(sites.id, siteIds) : undefined,
      ),
    )
    .limit(MAX_CONTINUED)
  await enqueueDeletions(
    ctx,
    found.map(({ id }) => id),
  )
  return found.length
}

/** If the queue fails, the next sweep sends the message, because the site is marked. */
async function enqueueDeletions(ctx: Context, siteIds: string[]): Promise<void> {
  if (siteIds.length === 0) return
  try {
    await ctx.queue.sendBatch(siteIds.map((siteId) => ({ body: { kind: 'deletion', siteId } })))
  } catch (error) {
    ctx.log('queue.unreachable', { siteIds, error: describeError(error) })
  }
}

const leaseKey = (ctx: Context, siteId: string) => `${ctx.config.REDIS_PREFIX}:deletion:${siteId}`

/** While Redis is down, everybody gets the lease. The site's lock still separates them. */
async function acquireLease(ctx: Context, siteId: string): Promise<boolean> {
  return ctx.redis.set(leaseKey(ctx, siteId), '1', { nx: true, ex: LEASE_S }).then(
    (reply) => reply !== null,
    () => true,
  )
}

async function releaseLease(ctx: Context, siteId: string): Promise<void> {
  await ctx.redis.del(leaseKey(ctx, siteId)).catch(() => {})
}

/** A key or sitemap created from now on opens nothing. Returns true if caches may hold the sitemap. */
async function closeSite(ctx: Context, siteId: string): Promise<boolean> {
  return withSeqlock(ctx, siteId, async () => {
    const statements = [
      ctx.db.delete(apiKeys).where(eq(apiKeys.siteId, siteId)).returning({ hash: apiKeys.keyHash }),
      ctx.db
        .update(sites)
        .set({ deletionStartedAt: sql`coalesce(${sites.deletionStartedAt}, now())` })
        .where(eq(sites.id, siteId)),
      selectVersions(ctx, siteId),
    ] as const
    const [keys, , [versions]] = await writeAs(ctx, statements, { lock: siteId })
    const hashes = keys.map(({ hash }) => hash)
    if (hashes.length > 0) ctx.defer(deleteSharedAuths(ctx, hashes))
    return { result: versions !== undefined && versions.sitemapId !== null, versions }
  })
}

async function deleteContent(ctx: Context, siteId: string): Promise<boolean> {
  const inSite = sql`site_id = ${siteId}`
  const isEmpty = await inTimedBatches(async (rows) => {
    const [first, ...others] = CONTENT.map((table) => ctx.db.execute(deleteBatch(table, inSite, rows)))
    const deleted = await writeAs(ctx, [first!, ...others], { lock: siteId })
    return { isLast: deleted.every(({ rowCount }) => rowCount < rows) }
  })
  if (isEmpty) await deleteRest(ctx, siteId)
  return isEmpty
}

/** Foreign keys delete later writes as well. */
async function deleteRest(ctx: Context, siteId: string): Promise<void> {
  await withSeqlock(ctx, siteId, async () => {
    await writeAs(ctx, [ctx.db.delete(sites).where(eq(sites.id, siteId))], { lock: siteId })
    return { result: undefined, versions: undefined }
  })
}
