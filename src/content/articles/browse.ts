/** The console's lists of posts and guides, without bodies. */
import { and, eq, sql } from 'drizzle-orm'
import type { Context } from '../../context.ts'
import type { Columns } from '../../db/json.ts'
import { guides, posts } from '../../db/schema.ts'
import type { ArticleKind } from '../model/article-filters.ts'
import type { Filters } from './filters.ts'
import { findArticles, type Order, orderBy, type PageNumber, toListParams } from './find.ts'

export type Sort = Exclude<Order, 'lastPublished' | 'due'>

export type BrowseInput = PageNumber & Filters & { sort: Sort | 'due' }

export type BrowsedPage<Article, Counts = unknown> = {
  items: Article[]
  total: number
  totalPages: number
  /** For the whole site. */
  counts?: Counts
}

const TABLES = { posts, guides: guides as unknown as typeof posts }

/** One statement, for one snapshot. `listed` starts with the id; `counts` is JSON. */
export async function browse<Article, Counts = unknown>(
  ctx: Context,
  site: { id: string },
  kind: ArticleKind,
  listed: Columns,
  { sort, search, ...input }: BrowseInput,
  counts = sql<Counts | null>`null::json`,
): Promise<BrowsedPage<Article, Counts>> {
  const params = toListParams(site, { ...input, words: search })
  const { total: found, page } = findArticles(ctx.db, kind, params, sort)
  const { siteId, updatedAt } = TABLES[kind]
  const rows = await ctx.db
    .with(found, page)
    .select({ total: found.total, counts, article: listed })
    .from(found)
    .leftJoin(page, sql`true`)
    .leftJoin(TABLES[kind], and(eq(siteId, site.id), eq(updatedAt, page.updatedAt)))
    .orderBy(orderBy(sort, kind))
  const total = rows[0]?.total ?? 0
  return {
    items: rows.flatMap(({ article }) => (article as Article | null) ?? []),
    total,
    totalPages: Math.ceil(total / input.pageSize),
    ...(rows[0]?.counts && { counts: rows[0].counts as Counts }),
  }
}
