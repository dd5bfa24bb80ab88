/** Publishing, unpublishing and renaming, for posts and guides. */
import { type SQL, sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import { databaseError } from '../../db/client.ts'
import { type guides, postStatuses, type posts } from '../../db/schema.ts'
import type { Context } from '../../foundation/context.ts'
import { AppError } from '../../foundation/errors.ts'
import { wireShape } from '../../foundation/wire-shape.ts'
import { writeSite } from '../../freshness/site-versions.ts'

export const Publication = /* @__PURE__ */ wireShape(() =>
  z
    .object({
      slug: z.string(),
      id: z.uuid(),
      status: z.enum(postStatuses),
      publishedAt: z.nullable(z.iso.datetime()),
      updatedAt: z.iso.datetime(),
    })
    .register(z.globalRegistry, { id: 'Publication' }),
)

type Table = typeof posts | typeof guides

type Updated = z.infer<typeof Publication> & { changed: boolean }

/** Sets the status of an article unless it has it already. Null if there is no such article. */
export async function setPublication(
  ctx: Context,
  table: Table,
  siteId: string,
  slug: string,
  status: 'draft' | 'published',
): Promise<z.infer<typeof Publication> | null> {
  return shownOf(await setPublications(ctx, table, siteId, [slug], status))
}

/** Sets the status of those articles that have another one. Returns those that there are. */
export function setPublications(
  ctx: Context,
  table: Table,
  siteId: string,
  slugs: string[],
  status: 'draft' | 'published',
): Promise<Updated[]> {
  const changes = sql`status = ${status}, published_at = case when ${status} = 'published'
    then coalesce(published_at, date_trunc('milliseconds', now())) else published_at end`
  return updateUnless(ctx, table, siteId, slugs, sql`status = ${status}`, changes)
}

/**
 * Gives an article another slug; with that slug already it changes nothing. `following` are columns that go with the
 * slug. Null if there is no such article.
 *
 * @throws AppError slug_taken
 */
export async function renameArticle(
  ctx: Context,
  table: Table,
  siteId: string,
  slug: string,
  renamed: string,
  following: SQL = sql``,
): Promise<z.infer<typeof Publication> | null> {
  try {
    const changes = sql`slug = ${renamed}${following}`
    return shownOf(await updateUnless(ctx, table, siteId, [slug], sql`slug = ${renamed}`, changes))
  } catch (error) {
    const isTaken = ['posts_slug', 'guides_slug'].includes(databaseError(error)?.constraint ?? '')
    throw isTaken ? new AppError('slug_taken') : error
  }
}

function shownOf([article]: Updated[]): z.infer<typeof Publication> | null {
  if (!article) return null
  const { changed: _, ...shown } = article
  return shown
}

type Row = {
  id: string
  slug: string
  status: z.infer<typeof Publication>['status']
  published_at: string | null
  updated_at: string
  changed: boolean
}

async function updateUnless(
  ctx: Context,
  table: Table,
  siteId: string,
  slugs: string[],
  unchanged: SQL,
  changes: SQL,
): Promise<Updated[]> {
  const columns = sql`id, slug, status, published_at, updated_at`
  const here = sql`site_id = ${siteId} and slug in ${slugs}`
  const statement = sql`
    with changed as (update ${table} set ${changes} where ${here} and not (${unchanged}) returning ${columns})
    select ${columns}, true as changed from changed
    union all
    select ${columns}, false from ${table} where ${here} and id not in (select id from changed)`
  const [result] = await writeSite(ctx, siteId, [ctx.db.execute(statement)])
  return (result.rows as Row[]).map((row) => ({
    slug: row.slug,
    id: row.id,
    status: row.status,
    publishedAt: row.published_at === null ? null : new Date(row.published_at).toISOString(),
    updatedAt: new Date(row.updated_at).toISOString(),
    changed: row.changed,
  }))
}
