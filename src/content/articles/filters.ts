/** What the filters of lists ask of the rows. `posts`, `post_titles` and `guides` name their columns alike. */
import { type SQL, sql } from 'drizzle-orm'
import { foldCase, likeSubstring } from '../../core/fold.ts'
import type { Seen } from '../../db/content-version.ts'
import type { postStatuses, qualityBands } from '../../db/schema.ts'
import { hasWords } from '../../db/words.ts'
import type { FilterName } from '../model/article-filters.ts'

export type Status = (typeof postStatuses)[number] | 'all' | 'none'

/** The status to look for where only `seen` may be shown. */
export function shownStatus(status: Status, seen: Seen): Status {
  if (seen === 'all') return status
  return status === 'draft' ? 'none' : 'published'
}

type Band = (typeof qualityBands)[number] | 'none'

/** What searches look in: the folded title without diacritics, and the slug in lower case. */
type Searched = { title: SQL; slug: SQL }

type Condition = {
  /** What is bound for a value. Null if that filters nothing. */
  bind: (value: never) => unknown
  /** Of what is bound, or its placeholder. */
  where: (bound: unknown, searched: Searched) => SQL
  /** Whether `post_counts` has the column. */
  isCounted?: true
  /** Whether it is in the indexes of posts by status, language and time. */
  isIndexed?: true
}

const text = (value: string) => value
const prefix = (language: string) => `${language}%`
const counted = { isCounted: true, isIndexed: true } as const

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
    ...counted,
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
    isCounted: true,
  },
  language: { bind: prefix, where: (pattern) => sql`language_key like ${pattern}`, ...counted },
  languageOrNone: {
    bind: prefix,
    where: (pattern) => sql`(language_key like ${pattern} or language_key = '')`,
    ...counted,
  },
  publishedFrom: { bind: text, where: (at) => sql`published_at >= ${at}::timestamptz` },
  publishedTo: { bind: text, where: (at) => sql`published_at <= ${at}::timestamptz` },
  updatedAfter: { bind: text, where: (at) => sql`updated_at > ${at}::timestamptz`, isIndexed: true },
  updatedBefore: { bind: text, where: (at) => sql`updated_at < ${at}::timestamptz`, isIndexed: true },
} satisfies Record<FilterName, Condition> & Record<string, Condition>

type Name = keyof typeof CONDITIONS

/** Languages are in lower case, and times as ISO 8601 has them. */
export type Filters = {
  [Each in Name]?: Parameters<(typeof CONDITIONS)[Each]['bind']>[0] | null | undefined
}

/** What is bound, or its placeholder, of the filters that there are. */
export type Bound = { [Each in Name]?: unknown }

const NAMES = Object.keys(CONDITIONS) as Name[]
const namesOf = (bound: Bound) => NAMES.filter((name) => name in bound)
const conditionOf = (name: Name): Condition => CONDITIONS[name]
const isCounted = (name: Name): boolean => conditionOf(name).isCounted ?? false

export function bindFilters(filters: Filters): Bound {
  const bound = NAMES.map((name) => {
    const value = filters[name] ?? null
    return [name, value === null ? null : conditionOf(name).bind(value as never)]
  })
  return Object.fromEntries(bound.filter(([, value]) => value !== null))
}

/** Whether `post_counts` tells how many posts match. */
export const areCounted = (bound: Bound): boolean => namesOf(bound).every(isCounted)

/** Whether the indexes of posts tell which posts match. */
export const areIndexed = (bound: Bound): boolean =>
  namesOf(bound).every((name) => conditionOf(name).isIndexed)

/** Of `post_titles`. */
const TITLES: Searched = { title: sql`title_key`, slug: sql`slug_folded` }
/** Of `posts` and `guides`. */
export const ARTICLES: Searched = {
  title: sql`without_diacritics(title_folded)`,
  slug: sql`lower(slug)`,
}

type Which = { searched?: Searched; counted?: boolean }

/** What follows another condition; `counted` are only those that `post_counts` knows, or only the others. */
export function andFilters(bound: Bound, { searched = TITLES, counted }: Which = {}): SQL {
  const names = namesOf(bound).filter((name) => counted === undefined || isCounted(name) === counted)
  return sql.join(names.map((name) => sql` and ${conditionOf(name).where(bound[name], searched)}`))
}
