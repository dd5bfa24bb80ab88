/** The console's list of posts, without their bodies. */
import { and, eq, getTableColumns, gt, gte, isNotNull, like, lte, or, type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import { postCounts, posts, postTitles, type qualityBands } from '../../db/schema.ts'
import { hasWords } from '../../db/words.ts'
import type { Context } from '../../foundation/context.ts'
import type { SiteScope } from '../../sites/sites.ts'
import { type BrowseInput, browseOrder, type Found, findToBrowse } from '../articles/browse.ts'

export type PostBrowseInput = BrowseInput & {
  /** `ready` are drafts that were marked ready. */
  status: 'draft' | 'ready' | 'published' | 'all'
  band: (typeof qualityBands)[number] | 'none' | null
  /** A prefix. A post without a language has the site's default. */
  language: string | null
}

const listed = {
  id: posts.id,
  slug: posts.slug,
  title: posts.title,
  status: posts.status,
  qualityBand: posts.qualityBand,
  language: posts.language,
  readyAt: posts.readyAt,
  publishedAt: posts.publishedAt,
  updatedAt: posts.updatedAt,
}

type Row = typeof posts.$inferSelect

/** `sourceSlug` is null unless the post is a translation; `translations` is how many it has. */
export type ListedPost = Pick<Row, keyof typeof listed> & {
  sourceSlug: string | null
  translations: number
}

/** A page of the posts that match; in one statement, which finds them in the narrow `post_titles`. */
export async function browsePosts(
  ctx: Context,
  site: SiteScope,
  input: PostBrowseInput,
): Promise<Found<ListedPost>> {
  const { total: found, page } = findToBrowse(
    ctx.db,
    postTitles,
    and(...countedFilters(site, input, postTitles), ...otherFilters(input)),
    input,
    otherFilters(input).some(Boolean) ? undefined : sumCounts(site, input),
  )
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
    .orderBy(browseOrder(input.sort, posts))
  const total = rows[0]?.total ?? 0
  return {
    items: rows.flatMap(({ post, sourceSlug, translations }) =>
      post ? [{ ...post, sourceSlug, translations }] : [],
    ),
    total,
    totalPages: Math.ceil(total / input.pageSize),
  }
}

/** The filters by what `post_counts` counts. */
function countedFilters(
  site: SiteScope,
  { status, band, language }: PostBrowseInput,
  table: typeof postTitles | typeof postCounts,
) {
  const { siteId, languageKey, qualityBand } = getTableColumns(table as typeof postTitles)
  return [
    eq(siteId, site.id),
    status === 'all' ? undefined : eq(table.status, status === 'ready' ? 'draft' : status),
    band === null ? undefined : sql`coalesce(${qualityBand}, '') = ${band === 'none' ? '' : band}`,
    language === null ? undefined : hasLanguage(site, languageKey, language.toLowerCase()),
  ]
}

function hasLanguage(site: SiteScope, key: typeof postTitles.languageKey, prefix: string): SQL | undefined {
  const isDefault = site.defaultLanguage.toLowerCase().startsWith(prefix)
  return or(like(key, `${prefix}%`), isDefault ? eq(key, '') : undefined)
}

function otherFilters(input: PostBrowseInput): (SQL | undefined)[] {
  const { search, status, publishedFrom, publishedTo, updatedAfter } = input
  return [
    hasWords(search, postTitles.titleFolded, postTitles.slugFolded),
    status === 'ready' ? isNotNull(postTitles.readyAt) : undefined,
    publishedFrom ? gte(postTitles.publishedAt, publishedFrom) : undefined,
    publishedTo ? lte(postTitles.publishedAt, publishedTo) : undefined,
    updatedAfter ? gt(postTitles.updatedAt, updatedAfter) : undefined,
  ]
}

function sumCounts(site: SiteScope, input: PostBrowseInput): SQL {
  const where = and(...countedFilters(site, input, postCounts))
  return sql`select coalesce(sum(posts), 0)::integer as total from ${postCounts} where ${where}`
}
