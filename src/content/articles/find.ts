/** Finds a page of articles by `updatedAt`, which is unique in a site. */
import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../db/client.ts'
import { guides, postCounts, posts, postTitles } from '../../db/schema.ts'
import type { ArticleKind } from '../model/article-filters.ts'
import { andFilters, areInCounts, areInIndexes, type Bound, bindFilters, type Filters } from './filters.ts'

/** Null comes last. */
export type OrderKey = { column: string; isReversed?: boolean; isNullable?: boolean }

const UPDATED: OrderKey = { column: 'updated_at', isReversed: true }
const PUBLISHED: OrderKey = { column: 'published_at', isNullable: true }
/** The collation is the same on every database. */
const TITLE: OrderKey = { column: 'title_folded collate "C"' }

export const ORDERS = {
  updated: [UPDATED],
  'updated-oldest': [{ column: 'updated_at' }],
  published: [{ ...PUBLISHED, isReversed: true }, UPDATED],
  'published-oldest': [PUBLISHED, UPDATED],
  title: [TITLE, UPDATED],
  'title-reversed': [{ ...TITLE, isReversed: true }, UPDATED],
  due: [{ column: 'publish_at', isNullable: true }, UPDATED],
  lastPublished: [{ ...PUBLISHED, isReversed: true }, { column: 'id' }],
} satisfies Record<string, OrderKey[]>

export type Order = keyof typeof ORDERS

/** Oldest first with `updatedAfter`, so that a poller can continue from a page's newest article. */
export const orderByUpdate = ({ updatedAfter }: Filters): Order =>
  updatedAfter ? 'updated-oldest' : 'updated'

/** `row` is a table or an alias. */
export function orderBy(order: Order, row: string): SQL {
  const keys: OrderKey[] = ORDERS[order]
  const terms = keys.map(
    ({ column, isReversed, isNullable }) =>
      `${row}.${column}${isReversed ? ' desc' : ''}${isNullable ? ' nulls last' : ''}`,
  )
  return sql.raw(terms.join(', '))
}

/** `page` starts at 1. */
export type PageNumber = { page: number; pageSize: number }

export type ListParams = Bound & { [Each in 'siteId' | 'pageSize' | 'offset' | 'upToPage']: unknown }

export function toListParams(
  site: { id: string },
  { page, pageSize, ...filters }: PageNumber & Filters,
): ListParams {
  const offset = Math.min((page - 1) * pageSize, Number.MAX_SAFE_INTEGER - pageSize)
  return { siteId: site.id, pageSize, offset, upToPage: offset + pageSize, ...bindFilters(filters) }
}

/** A prepared statement depends on the names of the parameters, not on their values. */
export const listPlaceholders = (names: string[]) =>
  Object.fromEntries(names.map((name) => [name, sql.placeholder(name)])) as ListParams

type Parts = { total: SQL; page: SQL }

/** Two CTEs: `total`, one row, and `page`, the `updatedAt` of each article. */
export function findArticles(db: Database, kind: ArticleKind, params: ListParams, order: Order) {
  const { total, page } = kind === 'guides' ? readRows('guides', params, order) : findPosts(params, order)
  return {
    total: db.$with('found', { total: sql<number>`total`.as('total') }).as(total),
    page: db.$with('page', { updatedAt: posts.updatedAt }).as(page),
  }
}

function findPosts(params: ListParams, order: Order): Parts {
  const parts = readPosts(params, order)
  return areInCounts(params) ? { ...parts, total: sumCounts(params) } : parts
}

/** Reads the wide `posts` only through an index that has all filters and the order, otherwise the narrow copy `post_titles`. */
function readPosts(params: ListParams, order: Order): Parts {
  if (!isIndexed(params, order)) return readRows('post_titles', params, order)
  return needsGroups(params, order) ? readGroups(params, order) : readRows('posts', params, order)
}

const isIndexed = (params: ListParams, order: Order) =>
  areInIndexes(params) && ['updated', 'updated-oldest', 'lastPublished'].includes(order)

/** These indexes begin with status and language. */
const needsGroups = (params: ListParams, order: Order) =>
  'language' in params || 'languageOrNone' in params || order === 'lastPublished'

const TABLES = { posts, post_titles: postTitles, guides }

function readRows(name: keyof typeof TABLES, params: ListParams, order: Order): Parts {
  const { siteId, pageSize, offset } = params
  const rows = sql`${TABLES[name]} where site_id = ${siteId}${andFilters(params, name)}`
  return {
    total: sql`select count(*)::integer as total from ${rows}`,
    page: sql`select updated_at from ${rows} order by ${orderBy(order, name)} limit ${pageSize} offset ${offset}`,
  }
}

/** Reads each matching pair of status and language in index order: 12 posts in a language among a million cost 12 index entries. */
function readGroups(params: ListParams, order: Order): Parts {
  const { siteId, pageSize, offset, upToPage } = params
  const groups = sql`(select distinct status, language_key from ${matchingCounts(params)}) c`
  const sorted = sql.raw(`p.updated_at${order === 'lastPublished' ? ', p.published_at, p.id' : ''}`)
  const group = sql`${posts} p
    where p.site_id = ${siteId} and p.status = c.status and p.language_key = c.language_key${andFilters(params, 'posts', 'uncounted')}`
  return {
    total: sql`select coalesce(sum(n), 0)::integer as total from ${groups}, lateral (select count(*) as n from ${group}) l`,
    page: sql`select l.updated_at from ${groups},
      lateral (select ${sorted} from ${group} order by ${orderBy(order, 'p')} limit ${upToPage}) l
      order by ${orderBy(order, 'l')} limit ${pageSize} offset ${offset}`,
  }
}

function sumCounts(params: ListParams): SQL {
  return sql`select coalesce(sum(posts), 0)::integer as total from ${matchingCounts(params)}`
}

function matchingCounts(params: ListParams): SQL {
  return sql`${postCounts} where site_id = ${params.siteId}${andFilters(params, 'post_counts', 'counted')}`
}
