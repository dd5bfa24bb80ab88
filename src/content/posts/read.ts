/** Reading posts: a list and a single post. */
import { and, eq, inArray, type SQL, sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import { contentVersionOf } from '../../db/content-version.ts'
import { withMember } from '../../db/json.ts'
import { prepared } from '../../db/prepared.ts'
import { posts } from '../../db/schema.ts'
import type { Context } from '../../foundation/context.ts'
import { AppError } from '../../foundation/errors.ts'
import { wireShape } from '../../foundation/wire-shape.ts'
import { apiBytes, apiColumns, articleJson, type Fields, isAsked } from '../articles/field.ts'
import { slugOf } from '../articles/kind.ts'
import { type ArticlePage, type Order, pageShape, selectPage, toPage } from '../articles/page.ts'
import { POST_FIELDS } from './fields.ts'
import { type Filters, filtersOf, findPosts, type ListInput, type SeenStatus, valuesOf } from './find.ts'
import { PartialPost, POST, Post } from './post.ts'

export const PostList = /* @__PURE__ */ wireShape(() =>
  z.object({ items: z.array(Post), ...pageShape }).register(z.globalRegistry, { id: 'PostListResponse' }),
)

/** Of `fields`. */
export const PartialPostList = /* @__PURE__ */ wireShape(() =>
  z
    .object({ items: z.array(PartialPost), ...pageShape })
    .register(z.globalRegistry, { id: 'PartialPostList' }),
)

/** JSON bytes of the heavy fields among those asked for. */
export const postBytes = (fields: Fields): SQL => apiBytes(POST_FIELDS, posts.wireBytes, fields)

type Shape = { order: Order; fields: Fields }

const selectPosts = prepared((db, { order, fields, ...filters }: Filters & Shape) =>
  selectPage(
    db,
    { table: posts, columns: apiColumns(POST_FIELDS, fields), bytes: postBytes(fields) },
    findPosts(db, filters, order),
    order,
  ),
)

type PostListInput = ListInput & { sort: 'updatedAt' | 'publishedAt'; fields: Fields }

/**
 * Newest `updatedAt` first; with `updatedAfter` oldest first, so that no later page has a post older than this one's
 * newest.
 */
export async function listPosts(
  ctx: Context,
  site: { id: string },
  { sort, fields, ...input }: PostListInput,
): Promise<ArticlePage> {
  const byUpdate = input.updatedAfter ? 'oldest' : 'newest'
  const order = sort === 'publishedAt' ? 'lastPublished' : byUpdate
  const statement = selectPosts(ctx.db, { ...filtersOf(input), order, fields })
  const rows = await statement.execute(valuesOf(site, input))
  return toPage(ctx, rows, input, (ids) => postsById(ctx, site, ids, fields, input.status))
}

/** Those of the posts that there are with this status. */
export function postsById(
  ctx: Context,
  site: { id: string },
  ids: string[],
  fields: Fields,
  status: ListInput['status'],
) {
  return ctx.db
    .select({ id: posts.id, contentVersion: contentVersionOf(site.id), ...apiColumns(POST_FIELDS, fields) })
    .from(posts)
    .where(and(eq(posts.siteId, site.id), inArray(posts.id, ids), hasStatus(status)))
}

type PostInput = { provenance: boolean; fields: Fields; status: SeenStatus }

const selectPost = prepared((db, { provenance, fields, status }: PostInput) =>
  db
    .select({
      ...apiColumns(POST_FIELDS, fields),
      contentVersion: contentVersionOf(sql.placeholder('siteId')),
      provenance: provenance ? sql<string | null>`${posts.provenance}::text` : sql<null>`null`,
    })
    .from(posts)
    .where(
      and(
        eq(posts.siteId, sql.placeholder('siteId')),
        eq(posts.slug, sql.placeholder('slug')),
        hasStatus(status),
      ),
    ),
)

/** JSON of a post with this status. @throws AppError post_not_found */
export async function getPost(
  ctx: Context,
  site: { id: string },
  written: string,
  { provenance, fields = null, status }: Omit<PostInput, 'fields'> & { fields?: Fields },
): Promise<string> {
  const slug = slugOf(POST, written)
  const variant = { provenance: provenance && isAsked(fields, 'provenance'), fields, status }
  const [row] = await selectPost(ctx.db, variant).execute({ siteId: site.id, slug })
  if (!row) throw new AppError('post_not_found')
  ctx.sawContentVersion(row.contentVersion)
  const json = articleJson(row)
  return row.provenance === null ? json : withMember(json, 'provenance', row.provenance)
}

const hasStatus = (status: ListInput['status']): SQL | undefined =>
  status === 'all' ? undefined : sql`${posts.status} = ${status}`
