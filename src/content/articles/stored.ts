/** Posts and guides as the operator reads them: lists without bodies, and one as the body that puts it again. */
import { and, desc, eq, inArray, type SQL } from 'drizzle-orm'
import type { Database } from '../../db/client.ts'
import { type Columns, jsonObject, withMember } from '../../db/json.ts'
import type { posts } from '../../db/schema.ts'
import type { Context } from '../../foundation/context.ts'
import { AppError, type ErrorCode } from '../../foundation/errors.ts'
import { cutPage, type Page, type Paging } from '../../foundation/paging.ts'
import { parseSlug } from '../../foundation/slug.ts'
import { articleJson, wireColumns } from './fields.ts'
import type { foundBy } from './page.ts'

export type StoredListInput = Paging & {
  search: string | null
  status: 'draft' | 'published' | 'all'
  language: string | null
}

/** What a kind of article has. */
export type StoredKind = {
  noun: 'post' | 'guide'
  missing: ErrorCode
  table: typeof posts
  /** The fields of a list's item. */
  listed: Columns
  /** What the service sets beside the body, but `updatedAt`. */
  set: Columns
  /** The body that puts it, but `contentHtml`. */
  body: Columns
  /** JSON bytes of its heavy fields. */
  bytes: SQL
  /** One article more than the page's, newest first, and the values of the placeholders. */
  find: (
    db: Database,
    site: { id: string },
    input: StoredListInput,
  ) => { page: ReturnType<typeof foundBy>['page']; values: Record<string, unknown> }
}

/** JSON of the articles that match, newest `updatedAt` first. */
export async function listStored(
  ctx: Context,
  site: { id: string },
  { table, listed, find }: StoredKind,
  input: StoredListInput,
): Promise<Page<string>> {
  const { page, values } = find(ctx.db, site, input)
  const { id, siteId, updatedAt } = table
  const rows = await ctx.db
    .with(page)
    .select({ id, updatedAt, json: jsonObject(listed) })
    .from(page)
    .innerJoin(table, and(eq(siteId, site.id), eq(updatedAt, page.updatedAt)))
    .orderBy(desc(updatedAt))
    .prepare('')
    .execute(values)
  return cutPage(
    rows,
    input,
    (row) => row.updatedAt,
    (row) => row.json,
  )
}

/** JSON of an article, drafts included. @throws AppError post_not_found or guide_not_found */
export async function getStored(
  ctx: Context,
  site: { id: string },
  kind: StoredKind,
  written: string,
): Promise<string> {
  const { noun, missing, table, set } = kind
  const slug = parseSlug(written)
  if (!slug) throw new AppError(missing)
  const { id, updatedAt } = table
  const [row] = await ctx.db
    .select({ set: jsonObject({ id, updatedAt, ...set }), ...wireColumns(table, kind.body, null) })
    .from(table)
    .where(and(eq(table.siteId, site.id), eq(table.slug, slug)))
  if (!row) throw new AppError(missing)
  return withMember(row.set, noun, articleJson(row))
}

/** Those of the articles that there are. */
export function storedById(
  ctx: Context,
  site: { id: string },
  { table, set, body }: StoredKind,
  ids: string[],
) {
  return ctx.db
    .select({ id: table.id, set: jsonObject(set), ...wireColumns(table, body, null) })
    .from(table)
    .where(and(eq(table.siteId, site.id), inArray(table.id, ids)))
}
