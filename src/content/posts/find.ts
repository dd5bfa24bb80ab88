/** The SQL that finds a list's page and total from indexes and counts, without reading the posts themselves. */
import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../db/client.ts'
import { postCounts, posts, postTitles } from '../../db/schema.ts'
import { foldCase, likeSubstring } from '../../foundation/fold.ts'
import { foundBy, limitAndOffset, type Order, orderBy, pageValues } from '../articles/page.ts'

/** The status of the posts that a reader may see. */
export type SeenStatus = 'published' | 'all'

export type ListInput = {
  page: number
  pageSize: number
  search: string | null
  status: 'draft' | 'published' | 'all' | 'none'
  language: string | null
  updatedAfter: Date | null
  updatedBefore?: Date | null
}

/** Which filters a list has. The statement depends on them, but not on their values. */
export type Filters = Record<'search' | 'status' | 'language' | 'updatedAfter' | 'updatedBefore', boolean>

export function filtersOf({ search, status, language, updatedAfter, updatedBefore }: ListInput): Filters {
  return {
    search: !!search,
    status: status !== 'all',
    language: !!language,
    updatedAfter: !!updatedAfter,
    updatedBefore: !!updatedBefore,
  }
}

/** The values of the placeholders. */
export function valuesOf(site: { id: string }, input: ListInput) {
  const { search, status, language, updatedAfter, updatedBefore } = input
  const { pageSize, offset } = pageValues(input)
  return {
    siteId: site.id,
    pageSize,
    offset,
    upToPage: offset + pageSize,
    status,
    title: search && likeSubstring(foldCase(search)),
    language: language && `${language.toLowerCase()}%`,
    updatedAfter: updatedAfter?.toISOString(),
    updatedBefore: updatedBefore?.toISOString(),
  }
}

const value = (name: keyof ReturnType<typeof valuesOf>) => sql.placeholder(name)

/** The CTEs of `foundBy`. */
export function findPosts(db: Database, filters: Filters, order: Order) {
  const inGroups = filters.language || order === 'lastPublished'
  const find = filters.search ? findByTitle : inGroups ? findInGroups : findAll
  return foundBy(db, find(filters, order))
}

type Parts = { total: SQL; page: SQL }

function findAll(filters: Filters, order: Order): Parts {
  const where = sql`site_id = ${value('siteId')}${statusFilter(filters)}${updatedFilter(filters)}`
  return {
    total: filters.updatedAfter ? countRows(sql`${posts} where ${where}`) : sumCounts(filters),
    page: sql`select updated_at from ${posts} where ${where} order by ${orderBy(order, 'posts')} ${limitAndOffset}`,
  }
}

/**
 * `post_counts` gives the statuses and the languages that match, and each pair is read in index order: a language with
 * twelve posts among a million costs twelve index entries.
 */
function findInGroups(filters: Filters, order: Order): Parts {
  const groups = sql`(select distinct status, language_key from ${matchingCounts(filters)}) c`
  const sorted = sql.raw(`p.updated_at${order === 'lastPublished' ? ', p.published_at, p.id' : ''}`)
  const group = sql`${posts} p
    where p.site_id = ${value('siteId')} and p.status = c.status and p.language_key = c.language_key${updatedFilter(filters)}`
  return {
    total: filters.updatedAfter
      ? sql`select coalesce(sum(n), 0)::integer as total from ${groups}, lateral (select count(*) as n from ${group}) l`
      : sumCounts(filters),
    page: sql`select l.updated_at from ${groups},
      lateral (select ${sorted} from ${group} order by ${orderBy(order, 'p')} limit ${value('upToPage')}) l
      order by ${orderBy(order, 'l')} ${limitAndOffset}`,
  }
}

function findByTitle(filters: Filters, order: Order): Parts {
  const others = sql`${statusFilter(filters)}${languageFilter(filters)}${updatedFilter(filters)}`
  const where = sql`site_id = ${value('siteId')} and title_folded like ${value('title')}${others}`
  return {
    total: countRows(sql`${postTitles} where ${where}`),
    page: sql`select updated_at from ${postTitles} where ${where} order by ${orderBy(order, 'post_titles')} ${limitAndOffset}`,
  }
}

function sumCounts(filters: Filters): SQL {
  return sql`select coalesce(sum(posts), 0)::integer as total from ${matchingCounts(filters)}`
}

function matchingCounts(filters: Filters): SQL {
  return sql`${postCounts} where site_id = ${value('siteId')}${statusFilter(filters)}${languageFilter(filters)}`
}

function countRows(rows: SQL): SQL {
  return sql`select count(*)::integer as total from ${rows}`
}

function statusFilter({ status }: Filters): SQL {
  return status ? sql` and status = ${value('status')}` : sql``
}

function languageFilter({ language }: Filters): SQL {
  return language ? sql` and language_key like ${value('language')}` : sql``
}

function updatedFilter({ updatedAfter, updatedBefore }: Filters): SQL {
  const after = updatedAfter ? sql` and updated_at > ${value('updatedAfter')}::timestamptz` : sql``
  return updatedBefore ? sql`${after} and updated_at < ${value('updatedBefore')}::timestamptz` : after
}
