/** Reading posts: a list and a single post. */
import { and, asc, desc, eq, inArray, sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import { groupByBytes, RESPONSE_BUDGET_BYTES } from '../byte-budget.ts'
import type { Context } from '../context.ts'
import { posts } from '../db/schema.ts'
import { AppError } from '../errors.ts'
import { SLUG } from '../slug.ts'
import { wireShape } from '../wire-shape.ts'
import { findPosts, type ListInput } from './find.ts'
import { type HeavyRow, heavyColumns, type LightRow, lightColumns, Post, toPost } from './post.ts'

export const PostList = /* @__PURE__ */ wireShape(() =>
  z
    .object({
      items: z.array(Post),
      page: z.int(),
      pageSize: z.int(),
      total: z.int(),
      totalPages: z.int(),
    })
    .register(z.globalRegistry, { id: 'PostListResponse' }),
)

/** A row of a page. Its heavy fields are null if they did not fit in the query's response. */
type PageRow = LightRow & { [Field in keyof HeavyRow]: HeavyRow[Field] | null } & { wireBytes: number }

export type PostPage = { rows: PageRow[]; total: number; totalPages: number }

/**
 * One page and the exact total, in one statement and so from one snapshot. Newest `updatedAt` first; with
 * `updatedAfter` oldest first, so that no later page has a post older than this one's newest.
 *
 * Includes as many bodies as fit in one response from Neon; `withBodies` fetches the others.
 */
export async function listPosts(ctx: Context, site: { id: string }, input: ListInput): Promise<PostPage> {
  const order = input.updatedAfter ? asc : desc
  const { total: found, page } = findPosts(ctx, site, input, order)
  const fits = sql`sum(${posts.wireBytes}) over (order by ${order(page.updatedAt)}) <= ${RESPONSE_BUDGET_BYTES}`
  const rows = await ctx.db
    .with(found, page)
    .select({
      ...lightColumns,
      total: found.total,
      wireBytes: posts.wireBytes,
      contentHtml: sql<string | null>`case when ${fits} then ${posts.contentHtml} end`,
      seo: sql`case when ${fits} then ${posts.seo} end`,
      faqJsonLd: sql`case when ${fits} then ${posts.faqJsonLd} end`,
      schemaBundle: sql`case when ${fits} then ${posts.schemaBundle} end`,
    })
    .from(found)
    .leftJoin(page, sql`true`)
    .leftJoin(posts, and(eq(posts.siteId, site.id), eq(posts.updatedAt, page.updatedAt)))
    .orderBy(order(page.updatedAt))
  // The total's row is always there, even without posts.
  const { total } = rows[0]!
  return {
    rows: rows.filter((row) => row.id !== null) as PageRow[],
    total,
    totalPages: Math.ceil(total / input.pageSize),
  }
}

/** Whether every row has its body. */
export function isComplete(found: PostPage): found is PostPage & { rows: (LightRow & HeavyRow)[] } {
  return found.rows.every((row) => row.contentHtml !== null)
}

/**
 * The posts of a page in order. Missing bodies are fetched in groups that each fit in one response from Neon. A post
 * deleted in between is left out. One edited in between keeps the page's `updatedAt`, so that a poller that goes on from
 * there gets the edit again.
 */
export async function* withBodies(ctx: Context, site: { id: string }, found: PostPage): AsyncGenerator<Post> {
  const present = found.rows.filter((row) => row.contentHtml !== null)
  for (const row of present) yield toPost(row as LightRow & HeavyRow)
  const groups = groupByBytes(found.rows.slice(present.length), (row) => row.wireBytes)
  for (const group of groups) {
    const ids = group.map((row) => row.id)
    const bodies = await ctx.db
      .select({ id: posts.id, ...heavyColumns })
      .from(posts)
      .where(and(eq(posts.siteId, site.id), inArray(posts.id, ids)))
    const byId = new Map(bodies.map((body) => [body.id, body]))
    for (const row of group) {
      const body = byId.get(row.id)
      if (body) yield toPost({ ...row, ...body })
    }
  }
}

/** @throws AppError post_not_found */
export async function getPost(
  ctx: Context,
  site: { id: string },
  slug: string,
  include: { provenance: boolean },
): Promise<Post> {
  if (!SLUG.test(slug)) throw new AppError('post_not_found')
  const [row] = await ctx.db
    .select({
      ...lightColumns,
      ...heavyColumns,
      ...(include.provenance && { provenance: posts.provenance }),
    })
    .from(posts)
    .where(and(eq(posts.siteId, site.id), eq(posts.slug, slug)))
  if (!row) throw new AppError('post_not_found')
  const provenance = 'provenance' in row ? (row.provenance as Post['provenance'] | null) : null
  return { ...toPost(row), ...(provenance && { provenance }) }
}
