/**
 * Deleting a site. First nothing opens it any more, in one write like a revocation; then its content goes in parts, since a
 * large site's would not fit in a statement's time; then the site. Whatever stops it in between, the next one goes on.
 */
import { eq, sql } from 'drizzle-orm'
import { requireRole } from './actor.ts'
import type { Context } from './context.ts'
import { writeLocked } from './db/lock.ts'
import { apiKeys, guides, posts, sites, tombstones, trainingRows, webhookEvents } from './db/schema.ts'
import { AppError } from './errors.ts'
import { unshareAuths } from './shared-auths.ts'
import { selectVersions, withSeqlock } from './site-versions.ts'
import { getSiteRow } from './sites.ts'

/** The tables that grow with a site. Rows of the others go with the site. Training rows refer to posts, so they go together. */
const CONTENT = [webhookEvents, trainingRows, posts, guides, tombstones] as const
const FIRST_PART_ROWS = 500
const MAX_PART_ROWS = 20_000
/** How long a part should take: far less than a statement may, and a Worker may only make 50 calls a request. */
const PART_MS = 3_000

/**
 * `confirmation` must be the site's name.
 *
 * @throws AppError site_not_found; invalid_query
 */
export async function deleteSite(
  ctx: Context,
  siteId: string,
  confirmation: string | undefined,
): Promise<void> {
  requireRole(ctx, 'admin')
  const { name } = await getSiteRow(ctx, siteId)
  if (confirmation !== name) {
    throw new AppError('invalid_query', { path: 'confirm', message: "must be the site's name" })
  }
  await closeSite(ctx, siteId)
  await deleteContent(ctx, siteId)
  await deleteRest(ctx, siteId)
}

/** Its keys are gone, and a key or sitemap that is made meanwhile opens nothing. */
async function closeSite(ctx: Context, siteId: string): Promise<void> {
  await withSeqlock(ctx, siteId, async () => {
    const [keys, , [versions]] = await writeLocked(ctx, siteId, [
      ctx.db.delete(apiKeys).where(eq(apiKeys.siteId, siteId)).returning({ hash: apiKeys.keyHash }),
      ctx.db
        .update(sites)
        .set({ deletionStartedAt: sql`coalesce(${sites.deletionStartedAt}, now())` })
        .where(eq(sites.id, siteId)),
      selectVersions(ctx, siteId),
    ] as const)
    const hashes = keys.map(({ hash }) => hash)
    if (hashes.length > 0) ctx.defer(unshareAuths(ctx, hashes))
    return { result: undefined, versions }
  })
}

/** As many rows at once as have taken about `PART_MS`. */
async function deleteContent(ctx: Context, siteId: string): Promise<void> {
  for (let rows = FIRST_PART_ROWS; ; ) {
    const startedAt = Date.now()
    const part = CONTENT.map((table) =>
      ctx.db.execute(sql`
        delete from ${table} where ctid = any(array(select ctid from ${table} where site_id = ${siteId} limit ${rows}))`),
    )
    const [first, ...others] = part
    const deleted = await writeLocked(ctx, siteId, [first!, ...others])
    if (deleted.every(({ rowCount }) => rowCount < rows)) return
    const tookMs = Math.max(Date.now() - startedAt, 1)
    const factor = Math.min(4, Math.max(0.25, PART_MS / tookMs))
    rows = Math.min(MAX_PART_ROWS, Math.ceil(rows * factor))
  }
}

/** What was written meanwhile goes too, by foreign keys. */
async function deleteRest(ctx: Context, siteId: string): Promise<void> {
  await withSeqlock(ctx, siteId, async () => {
    await writeLocked(ctx, siteId, [ctx.db.delete(sites).where(eq(sites.id, siteId))])
    return { result: undefined, versions: undefined }
  })
}
