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
import type { Filters, SeenStatus, Status } from '../articles/filters.ts'
import {
  findArticles,
  type Order,
  orderByUpdate,
  type PageNumber,
  placeholdersOf,
  questionOf,
} from '../articles/find.ts'
import { slugOf } from '../articles/kind.ts'
import { type ArticlePage, pageShape, selectPage, toPage } from '../articles/page.ts'
import { POST_FIELDS } from './fields.ts'
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

type Shape = { asked: string[]; order: Order; fields: Fields }

const selectPosts = prepared((db, { asked, order, fields }: Shape) =>
  selectPage(
    db,
    { table: posts, columns: apiColumns(POST_FIELDS, fields), bytes: postBytes(fields) },
    findArticles(db, 'posts', placeholdersOf(asked), order),
    order,
  ),
)

type PostListInput = PageNumber &
  Filters & { status: Status; sort: 'updatedAt' | 'publishedAt'; fields: Fields }

/** Newest `updatedAt` first; with `updatedAfter` oldest first. */
export async function listPosts(
  ctx: Context,
  site: { id: string },
  { sort, fields, ...input }: PostListInput,
): Promise<ArticlePage> {
  const order = sort === 'publishedAt' ? 'lastPublished' : orderByUpdate(input)
  const question = questionOf(site, input)
  const statement = selectPosts(ctx.db, { asked: Object.keys(question), order, fields })
  const rows = await statement.execute(question)
  return toPage(ctx, rows, input, (ids) => postsById(ctx, site, ids, fields, input.status))
}

/** Those of the posts that there are with this status. */
export function postsById(ctx: Context, site: { id: string }, ids: string[], fields: Fields, status: Status) {
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

const hasStatus = (status: Status): SQL | undefined =>
  status === 'all' ? undefined : sql`${posts.status} = ${status}`
