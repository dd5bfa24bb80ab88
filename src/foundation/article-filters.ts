/**
 * The filters of the lists of posts and of guides, and which front end has which. The parser of each is in
 * functions/http/filters.ts, its SQL in src/content/articles/filters.ts.
 */
import { postStatuses, qualityBands } from './enums.ts'

export type Filter = {
  /** What the OpenAPI documents say of the parameter. */
  description?: string
  /** Of the command line, for the filters of the management API. */
  flag?: string
  help?: string
  /** Of the console. */
  field?: 'search' | 'select' | 'text' | 'day' | 'instant'
  label?: string
  placeholder?: string
  values?: readonly string[]
  /** The values as the console shows them; any other is `All`. */
  options?: Readonly<Record<string, string>>
  /** Left out, it is null. */
  fallback?: string
}

export const FILTERS = {
  search: {
    description: 'Substring of the title. Case and diacritics do not matter',
    flag: '--search <text>',
    help: 'only with this in the title',
    field: 'search',
    label: 'Search',
    placeholder: 'Words of a title or slug',
  },
  status: {
    description: 'Status; `all` gives both',
    flag: '--status <status>',
    help: 'only these',
    field: 'select',
    label: 'Status',
    values: [...postStatuses, 'all'],
    options: { draft: 'Drafts', published: 'Published' } satisfies Record<
      (typeof postStatuses)[number],
      string
    >,
    fallback: 'all',
  },
  ready: {
    description: 'With `true`, only drafts that are marked ready now',
    flag: '--ready',
    help: 'only drafts that are marked ready',
  },
  band: {
    field: 'select',
    label: 'Quality',
    values: [...qualityBands, 'none'],
    options: {
      premium: 'Premium',
      standard: 'Standard',
      review: 'Review',
      none: 'Not checked',
    } satisfies Record<(typeof qualityBands)[number] | 'none', string>,
  },
  language: {
    description: "Case-insensitive prefix of the post's language",
    flag: '--language <language>',
    help: 'only this, such as en',
    field: 'text',
    label: 'Language',
    placeholder: 'Such as en',
  },
  publishedFrom: { field: 'day', label: 'Published from' },
  publishedTo: { field: 'day', label: 'Published to' },
  updatedAfter: {
    description: 'Only what was updated strictly after this time, oldest update first',
    field: 'instant',
    label: 'Updated after',
  },
  updatedBefore: { field: 'instant', label: 'Updated before' },
} as const satisfies Record<string, Filter>

export type ArticleKind = 'posts' | 'guides'

/** In the order of the documents, of the form and of the help. The command line has those of the management API. */
export const LISTS = {
  api: {
    posts: ['updatedAfter', 'search', 'status', 'language', 'ready'],
    guides: ['updatedAfter'],
  },
  management: {
    posts: ['status', 'search', 'language', 'ready'],
    guides: ['status', 'search'],
  },
  console: {
    posts: [
      'search',
      'status',
      'band',
      'language',
      'publishedFrom',
      'publishedTo',
      'updatedAfter',
      'updatedBefore',
    ],
    guides: ['search', 'status', 'publishedFrom', 'publishedTo', 'updatedAfter', 'updatedBefore'],
  },
} as const satisfies Record<string, Record<ArticleKind, readonly (keyof typeof FILTERS)[]>>

export type FrontEnd = keyof typeof LISTS
export type FiltersOf<Front extends FrontEnd, Kind extends ArticleKind> = (typeof LISTS)[Front][Kind][number]
export type FilterName = FiltersOf<FrontEnd, ArticleKind>
