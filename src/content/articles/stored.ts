/** Posts and guides for the operator: lists without bodies, and one as the body that puts it again. */
import { and, desc, eq, inArray } from 'drizzle-orm'
import type { Context } from '../../context.ts'
import { AppError } from '../../core/errors.ts'
import { jsonObject, withMember } from '../../db/json.ts'
import { cutPage, type Page, type Paging } from '../../db/paging.ts'
import type { posts } from '../../db/schema.ts'
import { articleJson, bodyColumns, listedColumns, readOnlyColumns } from './field-table.ts'
import type { Filters } from './filters.ts'
import { findArticles, toListParams } from './find.ts'
import { type Kind, requireSlug } from './kind.ts'

/** Items are JSON, newest `updatedAt` first. */
export async function listStored(
  ctx: Context,
  site: { id: string },
  { noun, table, fields }: Kind,
  { limit, cursor, ...filters }: Paging & Filters,
): Promise<Page<string>> {
  const updatedBefore = cursor?.at.toISOString()
  const params = toListParams(site, { ...filters, updatedBefore, page: 1, pageSize: limit + 1 })
  const { page } = findArticles(ctx.db, `${noun}s`, params, 'updated')
  const { id, siteId, updatedAt } = table
  const rows = await ctx.db
    .with(page)
    .select({ id, updatedAt, json: jsonObject({ id, ...listedColumns(fields), updatedAt }) })
    .from(page)
    .innerJoin(table as typeof posts, and(eq(siteId, site.id), eq(updatedAt, page.updatedAt)))
    .orderBy(desc(updatedAt))
  return cutPage(
    rows,
    { limit, cursor },
    (row) => row.updatedAt,
    (row) => row.json,
  )
}

/** Returns JSON, also for drafts. @throws AppError post_not_found or guide_not_found */
export async function getStored(
  ctx: Context,
  site: { id: string },
  kind: Kind,
  slugText: string,
): Promise<string> {
  const { noun, missing, table, fields } = kind
  const { id, siteId, slug, updatedAt } = table
  const [row] = await ctx.db
    .select({ readOnly: jsonObject({ id, updatedAt, ...readOnlyColumns(fields) }), ...bodyColumns(fields) })
    .from(table as typeof posts)
    .where(and(eq(siteId, site.id), eq(slug, requireSlug(kind, slugText))))
  if (!row) throw new AppError(missing)
  return withMember(row.readOnly, noun, articleJson(row))
}

export function storedById(ctx: Context, site: { id: string }, { table, fields }: Kind, ids: string[]) {
  return ctx.db
    .select({ id: table.id, readOnly: jsonObject(readOnlyColumns(fields)), ...bodyColumns(fields) })
    .from(table as typeof posts)
    .where(and(eq(table.siteId, site.id), inArray(table.id, ids)))
}
