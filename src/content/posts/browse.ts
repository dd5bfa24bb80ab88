/** The console's list of posts. */
import { and, eq, inArray, sql } from 'drizzle-orm'
import { posts } from '../../db/schema.ts'
import type { Context } from '../../foundation/context.ts'
import type { SiteScope } from '../../sites/sites.ts'
import { type BrowseInput, browse, type Found } from '../articles/browse.ts'
import type { Status } from '../articles/filters.ts'
import { SOURCE_SLUG } from './fields.ts'

export type PostBrowseInput = Omit<BrowseInput, 'status'> & {
  /** `ready` are drafts that were marked ready. */
  status: Status | 'ready'
}

const { id, slug, title, status, qualityBand, language, readyAt, publishedAt, updatedAt } = posts
const listed = { id, slug, title, status, qualityBand, language, readyAt, publishedAt, updatedAt }

/** `sourceSlug` is null unless the post is a translation; `translations` is how many it has. */
export type PostRow = Pick<typeof posts.$inferSelect, keyof typeof listed> & {
  sourceSlug: string | null
  translations: number
}

export const browsePosts = (ctx: Context, site: SiteScope, input: PostBrowseInput): Promise<Found<PostRow>> =>
  browse(ctx, site, 'posts', { ...listed, ...relations }, asFilters(site, input))

/** What the list's input filters by. */
export function asFilters<Input extends Pick<PostBrowseInput, 'status' | 'language'>>(
  site: SiteScope,
  { status, language, ...input }: Input,
) {
  // A post without a language has the site's default.
  const isDefault = language && site.defaultLanguage.toLowerCase().startsWith(language)
  const ready = status === 'ready'
  return {
    ...input,
    ready,
    status: (ready ? 'all' : status) as Status,
    [isDefault ? 'languageOrNone' : 'language']: language,
  }
}

const relations = {
  sourceSlug: SOURCE_SLUG,
  translations: sql<number>`(select count(*)::integer from ${posts} t where t.source_post_id = ${posts.id})`,
}

/** Those of the slugs whose posts are published, in their order. */
export async function findPublished(
  ctx: Context,
  site: SiteScope,
  slugs: string[],
): Promise<{ slug: string; title: string }[]> {
  const found = await ctx.db
    .select({ slug, title })
    .from(posts)
    .where(and(eq(posts.siteId, site.id), inArray(slug, slugs), eq(status, 'published')))
  return found.toSorted((a, b) => slugs.indexOf(a.slug) - slugs.indexOf(b.slug))
}
