/** Posts for the console: lists without bodies, and one post with its translations. */
import { and, asc, desc, eq, ne, or, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import { articleJson } from '../articles/fields.ts'
import type { Context } from '../context.ts'
import { posts } from '../db/schema.ts'
import { AppError } from '../errors.ts'
import type { SiteScope } from '../sites.ts'
import { SLUG } from '../slug.ts'
import { filtersOf, findPosts, type ListInput, valuesOf } from './find.ts'
import { type Post, postColumns } from './post.ts'

/** How many other translations are shown with a post. */
const MAX_TRANSLATIONS = 100

const listed = {
  id: posts.id,
  slug: posts.slug,
  title: posts.title,
  status: posts.status,
  qualityBand: posts.qualityBand,
  language: posts.language,
  readyAt: posts.readyAt,
  updatedAt: posts.updatedAt,
}

type Row = typeof posts.$inferSelect

/** `sourceSlug` is null unless the post is a translation; `translations` is how many it has. */
export type ListedPost = Pick<Row, keyof typeof listed> & {
  sourceSlug: string | null
  translations: number
}

/** The posts that `listPosts` finds, newest `updatedAt` first, without their bodies; in one statement. */
export async function browsePosts(
  ctx: Context,
  site: SiteScope,
  input: ListInput,
): Promise<{ items: ListedPost[]; total: number; totalPages: number }> {
  const { total: found, page } = findPosts(ctx.db, filtersOf(input), 'newest')
  const source = alias(posts, 'source')
  const rows = await ctx.db
    .with(found, page)
    .select({
      total: found.total,
      post: listed,
      sourceSlug: source.slug,
      translations: sql<number>`(select count(*)::integer from ${posts} t where t.source_post_id = ${posts.id})`,
    })
    .from(found)
    .leftJoin(page, sql`true`)
    .leftJoin(posts, and(eq(posts.siteId, site.id), eq(posts.updatedAt, page.updatedAt)))
    .leftJoin(source, and(eq(source.siteId, site.id), eq(source.id, posts.sourcePostId)))
    .orderBy(desc(page.updatedAt))
    .prepare('')
    .execute(valuesOf(site, input))
  const total = rows[0]?.total ?? 0
  return {
    items: rows.flatMap(({ post, sourceSlug, translations }) =>
      post ? [{ ...post, sourceSlug, translations }] : [],
    ),
    total,
    totalPages: Math.ceil(total / input.pageSize),
  }
}

export type Translation = Pick<Row, 'slug' | 'title' | 'language' | 'status'> & { isSource: boolean }

/**
 * A post as the API shows it, its provenance, when it was marked ready, and up to 100 other translations, the source
 * first; in one call to the database.
 *
 * @throws AppError post_not_found
 */
export async function inspectPost(
  ctx: Context,
  site: SiteScope,
  slug: string,
): Promise<{ post: Post; readyAt: Date | null; translations: Translation[] }> {
  if (!SLUG.test(slug)) throw new AppError('post_not_found')
  const isPost = and(eq(posts.siteId, site.id), eq(posts.slug, slug))
  const self = ctx.db
    .select({ id: posts.id, rootId: sql<string>`coalesce(${posts.sourcePostId}, ${posts.id})`.as('root_id') })
    .from(posts)
    .where(isPost)
    .as('self')
  const [[row], translations] = await ctx.db.batch([
    ctx.db
      .select({ ...postColumns(null), provenance: posts.provenance, readyAt: posts.readyAt })
      .from(posts)
      .where(isPost),
    ctx.db
      .select({
        slug: posts.slug,
        title: posts.title,
        language: posts.language,
        status: posts.status,
        isSource: sql<boolean>`${posts.sourcePostId} is null`,
      })
      .from(self)
      .innerJoin(posts, or(eq(posts.id, self.rootId), eq(posts.sourcePostId, self.rootId)))
      .where(and(eq(posts.siteId, site.id), ne(posts.id, self.id)))
      .orderBy(desc(sql`${posts.sourcePostId} is null`), asc(posts.language), asc(posts.slug))
      .limit(MAX_TRANSLATIONS),
  ])
  if (!row) throw new AppError('post_not_found')
  const post: Post = JSON.parse(articleJson(row))
  const provenance = row.provenance as Post['provenance'] | null
  return { post: { ...post, ...(provenance && { provenance }) }, readyAt: row.readyAt, translations }
}
