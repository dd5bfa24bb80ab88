import { and, eq, getTableName, type SQL, sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import type { Context } from '../../context.ts'
import { responseSchema } from '../../core/zod.ts'
import type { Database } from '../../db/client.ts'
import { contentVersionOf, type Visibility } from '../../db/content-version.ts'
import { jsonObject } from '../../db/json.ts'
import type { guides, posts } from '../../db/schema.ts'
import { groupByBytes, RESPONSE_BUDGET_BYTES } from '../byte-budget.ts'
import { type ArticleRow, articleJson, articlesById, type WireColumns } from './field-table.ts'
import { type findArticles, type Order, orderBy } from './find.ts'

export const pageShape = /* @__PURE__ */ responseSchema(() => ({
  page: z.int(),
  pageSize: z.int(),
  total: z.int(),
  totalPages: z.int(),
}))

type Listed = {
  table: typeof posts | typeof guides
  columns: WireColumns
  bytes: SQL
}

/** Page and total from one snapshot. Articles beyond Neon's response limit come only as `pending`. */
export function selectPage(
  db: Database,
  { table, columns, bytes }: Listed,
  { total, page }: ReturnType<typeof findArticles>,
  order: Order,
  visibility: Visibility,
) {
  const ordered = orderBy(order, getTableName(table))
  const { id, siteId, updatedAt } = table
  // Null for an empty page, whose only row has the total.
  const sum = sql`sum(${bytes}) filter (where ${id} is not null) over (order by ${ordered})`
  const fits = sql`${sum} <= ${RESPONSE_BUDGET_BYTES}`
  return db
    .with(total, page)
    .select({
      total: total.total,
      contentVersion: contentVersionOf(sql.placeholder('siteId'), visibility),
      json: sql<string | null>`case when ${fits} then ${columns.json} end`,
      contentHtml: sql<string | null>`case when ${fits} then ${columns.contentHtml} end`,
      ...(columns.included && {
        included: sql<string | null>`case when ${fits} then ${columns.included} end`,
      }),
      pending: sql<string | null>`case when not ${fits} then ${jsonObject({ id, updatedAt, bytes })} end`,
    })
    .from(total)
    .leftJoin(page, sql`true`)
    .leftJoin(
      table as typeof posts,
      and(eq(siteId, sql.placeholder('siteId')), eq(updatedAt, page.updatedAt)),
    )
    .orderBy(ordered)
}

type Pending = { id: string; updatedAt: string; bytes: number }

type Row = Awaited<ReturnType<typeof selectPage>>[number]
type SelectById = (ids: string[]) => PromiseLike<VersionedRow[]>

type VersionedRow = ArticleRow & { contentVersion: number | null }

/** `items` is JSON; `following` yields the articles that did not fit, or is null. */
export type ArticlePage = {
  items: string[]
  following: AsyncIterable<string> | null
  total: number
  totalPages: number
}

export function toPage(
  ctx: Context,
  rows: Row[],
  { pageSize }: { pageSize: number },
  selectById: SelectById,
): ArticlePage {
  // The row with the total exists even without articles.
  const { total, contentVersion } = rows[0]!
  ctx.noteVersionRead(contentVersion)
  const items = rows.flatMap(({ json, ...rest }) => (json === null ? [] : articleJson({ json, ...rest })))
  const pending: Pending[] = rows.flatMap((row) => (row.pending === null ? [] : JSON.parse(row.pending)))
  const following = pending.length > 0 ? fetchPending(ctx, pending, selectById) : null
  return { items, following, total, totalPages: Math.ceil(total / pageSize) }
}

/** Skips an article deleted in between. One edited in between keeps the page's `updatedAt`, so that a poller gets the edit again. */
async function* fetchPending(
  ctx: Context,
  pending: Pending[],
  selectById: SelectById,
): AsyncGenerator<string> {
  for (const group of groupByBytes(pending, (row) => row.bytes)) {
    const rows = await selectById(group.map(({ id }) => id))
    ctx.noteVersionRead(rows[0]?.contentVersion)
    const found = articlesById(rows)
    for (const { id, updatedAt } of group) {
      const json = found.get(id)
      if (json) yield JSON.stringify({ ...JSON.parse(json), updatedAt })
    }
  }
}
