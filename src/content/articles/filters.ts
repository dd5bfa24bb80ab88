/** Filters of lists as SQL conditions. `posts`, `post_titles` and `guides` name their columns alike. */
import { type SQL, sql } from 'drizzle-orm'
import { foldCase, likeSubstring } from '../../core/fold.ts'
import type { Visibility } from '../../db/content-version.ts'
import type { postStatuses, qualityBands } from '../../db/schema.ts'
import { hasWords } from '../../db/words.ts'
import type { FilterName } from '../model/article-filters.ts'

export type Status = (typeof postStatuses)[number] | 'all' | 'none'

/** The status to look for where only `visibility` may be shown. */
export function shownStatus(status: Status, visibility: Visibility): Status {
  if (visibility === 'all') return status
  return status === 'draft' ? 'none' : 'published'
}

type Band = (typeof qualityBands)[number] | 'none'

/** The columns of a search: the folded title without diacritics, and the slug in lower case. */
type Searched = { title: SQL; slug: SQL }

type Condition = {
  /** The value to bind. Null if it filters nothing. */
  bind: (value: never) => unknown
  /** The condition, for a bound value or a placeholder. */
  where: (bound: unknown, searched: Searched) => SQL
  /** `post_counts` has the column, so its sums tell how many posts match. */
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
  /** In any order, each of them in the title or the slug. */
  words: { bind: text, where: (words, { title, slug }) => hasWords(words as string, title, slug)! },
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

/** Languages are in lower case, and times as ISO 8601 has them. */
export type Filters = {
  [Each in Name]?: Parameters<(typeof CONDITIONS)[Each]['bind']>[0] | null | undefined
}

/** Bound values of the filters that are set, or their placeholders. */
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

/** True if `post_counts` tells how many posts match. */
export const areInCounts = (bound: Bound): boolean => namesOf(bound).every(isInCounts)

/** True if the indexes of `posts` tell which posts match. */
export const areInIndexes = (bound: Bound): boolean =>
  namesOf(bound).every((name) => conditionOf(name).inIndexes)

/** Columns of `post_titles`. */
const TITLES: Searched = { title: sql`title_key`, slug: sql`slug_folded` }
/** Columns of `posts` and `guides`. */
export const ARTICLES: Searched = {
  title: sql`without_diacritics(title_folded)`,
  slug: sql`lower(slug)`,
}

type Which = { searched?: Searched; only?: 'counted' | 'uncounted' }

/** The filters' conditions, to append to another one. `only`: the filters that are `inCounts`, or the others. */
export function andFilters(bound: Bound, { searched = TITLES, only }: Which = {}): SQL {
  const names = namesOf(bound).filter((name) => !only || isInCounts(name) === (only === 'counted'))
  return sql.join(names.map((name) => sql` and ${conditionOf(name).where(bound[name], searched)}`))
}
