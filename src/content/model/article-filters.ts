/** The list filters of each front end. SQL: articles/filters.ts, parameters: functions/http/list.ts, fields: functions/console. */
import { postStatuses, qualityBands } from '../../core/enums.ts'

export const FILTER_VALUES = {
  status: [...postStatuses, 'all'],
  band: [...qualityBands, 'none'],
} as const

export type ArticleKind = 'posts' | 'guides'

/** In the order of docs, form and help. The command line has those of the management API. */
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
