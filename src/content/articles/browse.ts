/** What the console's lists of posts and of guides have in common: their filters, their search and their orders. */
import { getTableName, type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../db/client.ts'
import type { guides, posts, postTitles } from '../../db/schema.ts'
import { foundBy, pageValues } from './page.ts'

/** `#` is the table. Titles are in the order of their code points, which is the same on every database. */
const ORDERS = {
  updated: '#.updated_at desc',
  'updated-oldest': '#.updated_at',
  published: '#.published_at desc nulls last, #.updated_at desc',
  'published-oldest': '#.published_at nulls last, #.updated_at desc',
  title: '#.title_folded collate "C", #.updated_at desc',
  'title-reversed': '#.title_folded collate "C" desc, #.updated_at desc',
}

export type Sort = keyof typeof ORDERS

export const sorts = Object.keys(ORDERS) as [Sort, ...Sort[]]

export type BrowseInput = {
  page: number
  pageSize: number
  /** Words in any order, each of them in the title or the slug. */
  search: string | null
  /** The first and the last moment of publication. */
  publishedFrom: Date | null
  publishedTo: Date | null
  updatedAfter: Date | null
  sort: Sort
}

export type Found<Article> = { items: Article[]; total: number; totalPages: number }

type Table = typeof guides | typeof posts | typeof postTitles

/** What follows ORDER BY for rows of the table. */
export function browseOrder(sort: Sort, table: Table): SQL {
  return sql.raw(ORDERS[sort].replaceAll('#', getTableName(table)))
}

/** The CTEs of `foundBy` for the rows of a site. Without a total they are counted. */
export function findToBrowse(
  db: Database,
  table: Table,
  where: SQL | undefined,
  { sort, ...page }: Pick<BrowseInput, 'page' | 'pageSize' | 'sort'>,
  total?: SQL,
) {
  const rows = sql`${table} where ${where}`
  const { pageSize, offset } = pageValues(page)
  return foundBy(db, {
    total: total ?? sql`select count(*)::integer as total from ${rows}`,
    page: sql`select updated_at from ${rows} order by ${browseOrder(sort, table)} limit ${pageSize} offset ${offset}`,
  })
}
