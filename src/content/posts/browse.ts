import { type SQL, sql } from 'drizzle-orm'
import type { Context } from '../../context.ts'
import { postCounts, posts, postTitles } from '../../db/schema.ts'
import type { SiteScope } from '../../db/site-scope.ts'
import { type BrowsedPage, type BrowseInput, browse, type Tally } from '../articles/browse.ts'
import { andFilters, areInCounts, bindFilters, type Filters } from '../articles/filters.ts'
import { CHANGES_REQUESTED, SOURCE_SLUG } from './fields.ts'

/** The console's tabs, in order. */
export const POST_STATES = {
  all: { text: 'All', filters: {} },
  published: { text: 'Published', filters: { status: 'published' } },
  draft: { text: 'Drafts', filters: { status: 'draft' } },
  ready: { text: 'Ready', filters: { ready: true } },
  // The next one first, unless another order is requested.
  scheduled: { text: 'Scheduled', filters: { scheduled: true }, sort: 'due' },
  changes: { text: 'Changes requested', filters: { changesRequested: true } },
} as const satisfies Record<string, { text: string; filters: Filters; sort?: 'due' }>

export type PostState = keyof typeof POST_STATES

export type PostBrowseInput = Omit<BrowseInput, 'status'> & { status: PostState }

const { id, slug, title, status, qualityBand, language, readyAt, publishAt, publishedAt, updatedAt } = posts
const listed = {
  id,
  slug,
  title,
  status,
  qualityBand,
  language,
  readyAt,
  publishAt,
  publishedAt,
  updatedAt,
  imageUrl: sql<string | null>`${posts.image} ->> 'url'`,
}

/** `sourceSlug` is null unless it is a translation. `isBlocked`: changes are requested. */
export type PostRow = Pick<typeof posts.$inferSelect, Exclude<keyof typeof listed, 'imageUrl'>> & {
  imageUrl: string | null
  sourceSlug: string | null
  translations: number
  isBlocked: boolean
}

export const browsePosts = (
  ctx: Context,
  site: SiteScope,
  input: PostBrowseInput,
): Promise<BrowsedPage<PostRow>> =>
  browse<PostRow>(
    ctx,
    site,
    'posts',
    { ...listed, ...relations },
    asFilters(site, input),
    tallies(site, ofLanguage(site, input.language)),
  )

export function asFilters<Input extends Pick<PostBrowseInput, 'status' | 'language' | 'sort'>>(
  site: SiteScope,
  { status, language, sort, ...input }: Input,
) {
  const state: { filters: Filters; sort?: 'due' } = POST_STATES[status]
  return {
    ...input,
    sort: (sort === 'updated' && state.sort) || sort,
    ...state.filters,
    ...ofLanguage(site, language),
  }
}

/** A post without a language has the site's default. */
function ofLanguage(site: SiteScope, language: string | null | undefined): Filters {
  const isDefault = language && site.defaultLanguage.toLowerCase().startsWith(language)
  return { [isDefault ? 'languageOrNone' : 'language']: language }
}

/** An index of `post_titles` counts the states that `post_counts` lacks. */
function tallies(site: SiteScope, language: Filters): SQL<Tally[]> {
  const states = Object.entries(POST_STATES).map(([state, { filters }]) => {
    const bound = bindFilters({ ...filters, ...language })
    const [table, count] = areInCounts(bound)
      ? [postCounts, sql`sum(posts)::integer`]
      : [postTitles, sql`count(*)::integer`]
    return sql`select ${state}::text as state, coalesce(quality_band, '') as band, ${count} as count
      from ${table} where site_id = ${site.id}${andFilters(bound, 'post_titles')} group by 2`
  })
  return sql`(select coalesce(json_agg(t), '[]') from (${sql.join(states, sql` union all `)}) t)`
}

const relations = {
  isBlocked: sql<boolean>`${CHANGES_REQUESTED}`,
  sourceSlug: SOURCE_SLUG,
  translations: sql<number>`(select count(*)::integer from ${posts} t where t.source_post_id = ${posts.id})`,
}
