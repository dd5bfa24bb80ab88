/** Reading posts: the list and the single post. */
import { and, count, desc, eq, gt, inArray, like, type SQL, sql } from 'drizzle-orm'
import { z } from 'zod'
import { groupByBytes, RESPONSE_BUDGET_BYTES } from '../byte-budget.ts'
import type { Context } from '../context.ts'
import { posts } from '../db/schema.ts'
import { AppError } from '../errors.ts'
import { fold, likeSubstring } from '../fold.ts'
import type { SiteScope } from '../sites.ts'
import { SLUG } from '../slug.ts'
import { type HeavyRow, heavyColumns, type LightRow, lightColumns, Post, toPost } from './post.ts'

export type ListInput = {
  page: number
  pageSize: number
  search: string | null
  status: 'draft' | 'published' | 'all'
  language: string | null
  updatedAfter: Date | null
}

export const PostList = z.object({
  items: z.array(Post),
  page: z.int(),
  pageSize: z.int(),
  total: z.int(),
  totalPages: z.int(),
})

/** A row of a page; its heavy fields are null where the answer of one query would have become too large. */
type PageRow = LightRow & { [Field in keyof HeavyRow]: HeavyRow[Field] | null } & { wireBytes: number }

export type Found = { rows: PageRow[]; total: number; totalPages: number }

/**
 * One page, newest `updatedAt` first, with the exact total, in one statement and so of one moment.
 *
 * Bodies come along as far as they fit in one answer of the database; `withBodies` brings the others.
 */
export async function list(ctx: Context, site: SiteScope, input: ListInput): Promise<Found> {
  const where = matching(site, input)
  const offset = Math.min((input.page - 1) * input.pageSize, Number.MAX_SAFE_INTEGER)
  const all = ctx.db.$with('matching').as(
    ctx.db
      .select({ total: count().as('total') })
      .from(posts)
      .where(where),
  )
  const page = ctx.db.$with('page').as(
    ctx.db
      .select({ ...lightColumns, ...heavyColumns, wireBytes: posts.wireBytes })
      .from(posts)
      .where(where)
      .orderBy(desc(posts.updatedAt))
      .limit(input.pageSize)
      .offset(offset),
  )
  const fits = sql`sum(${page.wireBytes}) over (order by ${page.updatedAt} desc) <= ${RESPONSE_BUDGET_BYTES}`
  const rows = await ctx.db
    .with(all, page)
    .select({
      total: all.total,
      id: page.id,
      slug: page.slug,
      title: page.title,
      excerpt: page.excerpt,
      status: page.status,
      publishedAt: page.publishedAt,
      updatedAt: page.updatedAt,
      readingTimeMinutes: page.readingTimeMinutes,
      qualityBand: page.qualityBand,
      assuranceLabel: page.assuranceLabel,
      reviewStatus: page.reviewStatus,
      aiGenerated: page.aiGenerated,
      language: page.language,
      sourcePostId: page.sourcePostId,
      wireBytes: page.wireBytes,
      contentHtml: sql<string | null>`case when ${fits} then ${page.contentHtml} end`,
      seo: sql`case when ${fits} then ${page.seo} end`,
      faqJsonLd: sql`case when ${fits} then ${page.faqJsonLd} end`,
      schemaBundle: sql`case when ${fits} then ${page.schemaBundle} end`,
    })
    .from(all)
    .leftJoin(page, sql`true`)
    .orderBy(desc(page.updatedAt))
  const total = rows[0]?.total ?? 0
  return {
    rows: rows.filter((row) => row.id !== null) as PageRow[],
    total,
    totalPages: Math.ceil(total / input.pageSize),
  }
}

/** Whether every row came with its body. */
export function isComplete(found: Found): found is Found & { rows: (LightRow & HeavyRow)[] } {
  return found.rows.every((row) => row.contentHtml !== null)
}

/**
 * The posts of a page in order, with the missing bodies fetched in groups that each fit in one answer. A post
 * deleted meanwhile is left out; one edited meanwhile keeps the `updatedAt` of the page, so that a poller who
 * continues from there is given the edit again and loses nothing.
 */
export async function* withBodies(ctx: Context, site: SiteScope, found: Found): AsyncGenerator<Post> {
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

/** @throws AppError post_missing */
export async function get(
  ctx: Context,
  site: SiteScope,
  slug: string,
  include: { provenance: boolean },
): Promise<Post> {
  if (!SLUG.test(slug)) throw new AppError('post_missing')
  const [row] = await ctx.db
    .select({ ...lightColumns, ...heavyColumns, ...(include.provenance && { provenance: posts.provenance }) })
    .from(posts)
    .where(and(eq(posts.siteId, site.id), eq(posts.slug, slug)))
  if (!row) throw new AppError('post_missing')
  const provenance = 'provenance' in row ? (row.provenance as Post['provenance'] | null) : null
  return { ...toPost(row), ...(provenance && { provenance }) }
}

/** The condition of a list. */
export function matching(site: SiteScope, input: ListInput): SQL | undefined {
  return and(
    eq(posts.siteId, site.id),
    input.status === 'all' ? undefined : eq(posts.status, input.status),
    input.language ? like(sql`lower(${posts.language})`, `${input.language.toLowerCase()}%`) : undefined,
    input.updatedAfter ? gt(posts.updatedAt, input.updatedAfter) : undefined,
    input.search ? like(posts.titleFolded, likeSubstring(fold(input.search))) : undefined,
  )
}
