/** The console's lists of posts and guides, without bodies. */
import { and, eq, inArray, type SQL, sql } from 'drizzle-orm'
import type { Context } from '../../context.ts'
import type { Columns } from '../../db/json.ts'
import { guides, posts } from '../../db/schema.ts'
import { RESPONSE_BUDGET_BYTES } from '../byte-budget.ts'
import type { ArticleKind } from '../model/article-filters.ts'
import type { Filters } from './filters.ts'
import { findArticles, type Order, orderBy, type PageNumber, toListParams } from './find.ts'
import type { Kind } from './kind.ts'

export type Sort = Exclude<Order, 'lastPublished' | 'due'>

export type BrowseInput = PageNumber & Filters & { sort: Sort | 'due' }

/** `band` is '' for unchecked posts, and for guides. */
export type Tally = { state: string; band: string; count: number }

export type BrowsedPage<Article> = {
  items: Article[]
  total: number
  totalPages: number
  /** For the whole site. */
  counts: Tally[]
}

const TABLES = { posts, guides: guides as unknown as typeof posts }

/** One statement, for one snapshot. `listed` starts with the id; `counts` is JSON. */
export async function browse<Article>(
  ctx: Context,
  site: { id: string },
  kind: ArticleKind,
  listed: Columns,
  { sort, search, ...input }: BrowseInput,
  counts: SQL<Tally[]>,
): Promise<BrowsedPage<Article>> {
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
    counts: rows[0]?.counts ?? [],
  }
}

/** Finds the titles of articles, or only of those with the status. Keeps the order of the slugs. */
export async function findTitles(
  ctx: Context,
  kind: Kind,
  site: { id: string },
  slugs: string[],
  status?: 'published',
) {
  const { slug, title } = kind.table
  return inOrder(
    slugs,
    await ctx.db
      .select({ slug, title })
      .from(kind.table)
      .where(isOne(kind, site, slugs, status)),
  )
}

/** Drafts with their content, which is null for the largest if all do not fit into one response. */
export async function findDraftContents(ctx: Context, kind: Kind, site: { id: string }, slugs: string[]) {
  const { slug, title, contentHtml, wireBytes } = kind.table
  const bytes = sql`sum(${wireBytes}) over (order by ${wireBytes}, ${slug})`
  const fitting = sql<string | null>`case when ${bytes} <= ${RESPONSE_BUDGET_BYTES} then ${contentHtml} end`
  const publishAt = 'publishAt' in kind.table ? posts.publishAt : sql<null>`null`
  const columns = { slug, title, contentHtml: fitting, publishAt }
  return inOrder(
    slugs,
    await ctx.db
      .select(columns)
      .from(kind.table)
      .where(isOne(kind, site, slugs, 'draft')),
  )
}

const isOne = ({ table }: Kind, site: { id: string }, slugs: string[], status?: 'published' | 'draft') =>
  and(eq(table.siteId, site.id), inArray(table.slug, slugs), status && eq(table.status, status))

const inOrder = <Row extends { slug: string }>(slugs: string[], rows: Row[]) =>
  rows.toSorted((a, b) => slugs.indexOf(a.slug) - slugs.indexOf(b.slug))
