/** The list filters as SQL. `posts`, `post_titles` and `guides` share their column names. */
import { type SQL, sql } from 'drizzle-orm'
import { foldCase, likeSubstring } from '../../core/fold.ts'
import type { Visibility } from '../../db/content-version.ts'
import type { postStatuses, qualityBands } from '../../db/schema.ts'
import { matchesWords } from '../../db/word-search.ts'
import type { FilterName } from '../model/article-filters.ts'

export type Status = (typeof postStatuses)[number] | 'all' | 'none'

export function shownStatus(status: Status, visibility: Visibility): Status {
  if (visibility === 'all') return status
  return status === 'draft' ? 'none' : 'published'
}

type Band = (typeof qualityBands)[number] | 'none'

/** The folded title without diacritics, and the slug in lower case. */
type Searched = { title: SQL; slug: SQL }

type Condition = {
  /** Null if it filters nothing. */
  bind: (value: never) => unknown
  where: (bound: unknown, searched: Searched) => SQL
  /** `post_counts` has the column, so its sums count the matches. */
  inCounts?: true
  /** The indexes of `posts` by status, language and time have the column, so `post_titles` is not needed. */
  inIndexes?: true
}

const text = (value: string) => value
const prefix = (language: string) => `${language}%`
const inCountsAndIndexes = { inCounts: true, inIndexes: true } as const

const CONDITIONS = {
  search: {
    bind: (title: string) => likeSubstring(foldCase(title)),
    where: (pattern, { title }) => sql`${title} like without_diacritics(${pattern})`,
  },
  /** In any order, each in the title or the slug. */
  words: { bind: text, where: (words, { title, slug }) => matchesWords(words as string, title, slug)! },
  status: {
    bind: (status: Status) => (status === 'all' ? null : status),
    where: (status) => sql`status = ${status}`,
    ...inCountsAndIndexes,
  },
  ready: {
    bind: (isReady: boolean) => isReady || null,
    where: () => sql`status = 'draft' and ready_at is not null`,
  },
  scheduled: {
    bind: (isScheduled: boolean) => isScheduled || null,
    where: () => sql`publish_at is not null`,
  },
  changesRequested: {
    bind: (isRequested: boolean) => isRequested || null,
    where: () => sql`changes_requested`,
  },
  band: {
    bind: (band: Band) => (band === 'none' ? '' : band),
    where: (band) => sql`coalesce(quality_band, '') = ${band}`,
    inCounts: true,
  },
  language: { bind: prefix, where: (pattern) => sql`language_key like ${pattern}`, ...inCountsAndIndexes },
  languageOrNone: {
    bind: prefix,
    where: (pattern) => sql`(language_key like ${pattern} or language_key = '')`,
    ...inCountsAndIndexes,
  },
  publishedFrom: { bind: text, where: (at) => sql`published_at >= ${at}::timestamptz` },
  publishedTo: { bind: text, where: (at) => sql`published_at <= ${at}::timestamptz` },
  updatedAfter: { bind: text, where: (at) => sql`updated_at > ${at}::timestamptz`, inIndexes: true },
  updatedBefore: { bind: text, where: (at) => sql`updated_at < ${at}::timestamptz`, inIndexes: true },
} satisfies Record<FilterName, Condition> & Record<string, Condition>

type Name = keyof typeof CONDITIONS

/** Languages are in lower case, times in ISO 8601. */
export type Filters = {
  [Each in Name]?: Parameters<(typeof CONDITIONS)[Each]['bind']>[0] | null | undefined
}

/** Values, or the placeholders of a prepared statement. */
export type Bound = { [Each in Name]?: unknown }

const NAMES = Object.keys(CONDITIONS) as Name[]
const namesOf = (bound: Bound) => NAMES.filter((name) => name in bound)
const conditionOf = (name: Name): Condition => CONDITIONS[name]
const isInCounts = (name: Name): boolean => conditionOf(name).inCounts ?? false

export function bindFilters(filters: Filters): Bound {
  const bound = NAMES.map((name) => {
    const value = filters[name] ?? null
    return [name, value === null ? null : conditionOf(name).bind(value as never)]
  })
  return Object.fromEntries(bound.filter(([, value]) => value !== null))
}

export const areInCounts = (bound: Bound): boolean => namesOf(bound).every(isInCounts)

export const areInIndexes = (bound: Bound): boolean =>
  namesOf(bound).every((name) => conditionOf(name).inIndexes)

/** A search reads the folded columns of `post_titles`. Guides are few, so they are folded when they are searched. */
const TITLES: Searched = { title: sql`title_key`, slug: sql`slug_folded` }
const GUIDES: Searched = { title: sql`without_diacritics(title_folded)`, slug: sql`lower(slug)` }

type Table = 'posts' | 'post_titles' | 'post_counts' | 'guides'

/** For appending to another condition. `only` picks the filters with or without `inCounts`. */
export function andFilters(bound: Bound, table: Table, only?: 'counted' | 'uncounted'): SQL {
  const searched = table === 'guides' ? GUIDES : TITLES
  const names = namesOf(bound).filter((name) => !only || isInCounts(name) === (only === 'counted'))
  return sql.join(names.map((name) => sql` and ${conditionOf(name).where(bound[name], searched)}`))
}
