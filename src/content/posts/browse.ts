/** The console's list of posts. */
import { sql } from 'drizzle-orm'
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

export function browsePosts(
  ctx: Context,
  site: SiteScope,
  { status, language, ...input }: PostBrowseInput,
): Promise<Found<PostRow>> {
  // A post without a language has the site's default.
  const isDefault = language && site.defaultLanguage.toLowerCase().startsWith(language)
  const ready = status === 'ready'
  return browse(
    ctx,
    site,
    'posts',
    { ...listed, ...relations },
    {
      ...input,
      ready,
      status: ready ? 'all' : status,
      [isDefault ? 'languageOrNone' : 'language']: language,
    },
  )
}

const relations = {
  sourceSlug: SOURCE_SLUG,
  translations: sql<number>`(select count(*)::integer from ${posts} t where t.source_post_id = ${posts.id})`,
}
