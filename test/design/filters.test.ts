/** Runs the statements of the filters on their tables, so that none names a missing column. */
import type { PGlite } from '@electric-sql/pglite'
import { sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/pglite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Filters } from '../../src/content/articles/filters.ts'
import { findArticles, type Order, toListParams } from '../../src/content/articles/find.ts'
import {
  type ArticleKind,
  type FilterName,
  type FrontEnd,
  LISTS,
} from '../../src/content/model/article-filters.ts'
import type { Database } from '../../src/db/client.ts'
import { openDatabase } from '../support/embedded-database.ts'

/** A value for each filter, as a front end passes it. */
const VALUES: { [Name in FilterName]: Filters[Name] } = {
  search: 'words of a title',
  status: 'draft',
  ready: true,
  band: 'none',
  language: 'en',
  publishedFrom: '2026-01-01T00:00:00Z',
  publishedTo: '2026-12-31T00:00:00Z',
  updatedAfter: '2026-01-01T00:00:00Z',
  updatedBefore: '2026-12-31T00:00:00Z',
}
const SITE = { id: '00000000-0000-4000-8000-000000000000' }
const PAGE = { page: 1, pageSize: 12 }
const BY_UPDATE: Order[] = ['updated', 'updated-oldest']
const ORDERS: Record<FrontEnd, Order[]> = {
  api: [...BY_UPDATE, 'lastPublished'],
  management: BY_UPDATE,
  console: [...BY_UPDATE, 'published', 'published-oldest', 'title', 'title-reversed'],
}

let database: PGlite
beforeAll(async () => {
  database = await openDatabase('migrated')
})
afterAll(() => database.close())

async function totalOf(kind: ArticleKind, filters: Filters, order: Order): Promise<number> {
  const db = drizzle({ client: database }) as unknown as Database
  const { total, page } = findArticles(db, kind, toListParams(SITE, { ...PAGE, ...filters }), order)
  const [row] = await db
    .with(total, page)
    .select({ total: total.total })
    .from(total)
    .leftJoin(page, sql`true`)
  return row!.total
}

describe.each(Object.entries(LISTS))('a list of %s', (frontEnd, kinds) => {
  const orders = ORDERS[frontEnd as FrontEnd]
  const listed = Object.entries(kinds) as [ArticleKind, readonly FilterName[]][]

  it.each(listed)('of %s can be filtered by each of its filters, in each order', async (kind, names) => {
    for (const name of names) {
      expect(VALUES[name], `the value of ${name}`).toBeDefined()
      const given = { [frontEnd === 'console' && name === 'search' ? 'words' : name]: VALUES[name] }
      for (const order of kind === 'posts' ? orders : orders.filter((each) => each !== 'lastPublished'))
        expect(await totalOf(kind, given, order), `${name} by ${order}`).toBe(0)
    }
  })
})
