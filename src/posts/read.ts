/** Reading posts: a list and a single post. */
import { and, eq, inArray, sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import { articleJson, type Fields, isAsked } from '../articles/fields.ts'
import { type ArticlePage, type Order, pageShape, selectPage, toPage } from '../articles/page.ts'
import type { Context } from '../context.ts'
import { withMember } from '../db/json.ts'
import { prepared } from '../db/prepared.ts'
import { posts } from '../db/schema.ts'
import { AppError } from '../errors.ts'
import { SLUG } from '../slug.ts'
import { wireShape } from '../wire-shape.ts'
import { type Filters, filtersOf, findPosts, type ListInput, valuesOf } from './find.ts'
import { Post, postBytes, postColumns } from './post.ts'

export const PostList = /* @__PURE__ */ wireShape(() =>
  z.object({ items: z.array(Post), ...pageShape }).register(z.globalRegistry, { id: 'PostListResponse' }),
)

type Shape = { order: Order; fields: Fields }

const selectPosts = prepared((db, { order, fields, ...filters }: Filters & Shape) =>
  selectPage(
    db,
    { table: posts, columns: postColumns(fields), bytes: postBytes(fields) },
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
  return toPage(rows, input, (ids) => postsById(ctx, site, ids, fields))
}

/** Those of the posts that there are. */
export function postsById(ctx: Context, site: { id: string }, ids: string[], fields: Fields) {
  return ctx.db
    .select({ id: posts.id, ...postColumns(fields) })
    .from(posts)
    .where(and(eq(posts.siteId, site.id), inArray(posts.id, ids)))
}

type PostInput = { provenance: boolean; fields: Fields }

const selectPost = prepared((db, { provenance, fields }: PostInput) =>
  db
    .select({
      ...postColumns(fields),
      provenance: provenance ? sql<string | null>`${posts.provenance}::text` : sql<null>`null`,
    })
    .from(posts)
    .where(and(eq(posts.siteId, sql.placeholder('siteId')), eq(posts.slug, sql.placeholder('slug')))),
)

/** JSON of a post. @throws AppError post_not_found */
export async function getPost(
  ctx: Context,
  site: { id: string },
  slug: string,
  { provenance, fields = null }: { provenance: boolean; fields?: Fields },
): Promise<string> {
  if (!SLUG.test(slug)) throw new AppError('post_not_found')
  const variant = { provenance: provenance && isAsked(fields, 'provenance'), fields }
  const [row] = await selectPost(ctx.db, variant).execute({ siteId: site.id, slug })
  if (!row) throw new AppError('post_not_found')
  const json = articleJson(row)
  return row.provenance === null ? json : withMember(json, 'provenance', row.provenance)
}
