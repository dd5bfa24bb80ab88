/**
 * The filters of the lists of posts and of guides, and which front end has which. Their SQL is in src/content/articles/filters.ts, their
 * parameters in functions/http/filters.ts, their fields in functions/console/content/filters.tsx and their flags in the command line.
 */
import { postStatuses, qualityBands } from '../../core/enums.ts'

/** The values of the filters that have a choice. */
export const FILTER_VALUES = {
  status: [...postStatuses, 'all'],
  band: [...qualityBands, 'none'],
} as const

export type ArticleKind = 'posts' | 'guides'

/** In the order of the documents, the form and the help. The command line has those of the management API. */
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
} as const

export type FrontEnd = keyof typeof LISTS
export type FiltersOf<Front extends FrontEnd, Kind extends ArticleKind> = (typeof LISTS)[Front][Kind][number]
export type FilterName = FiltersOf<FrontEnd, ArticleKind>
