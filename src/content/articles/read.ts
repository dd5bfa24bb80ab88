/** Reads articles as the API shows them: a page, one, or several by id. */
import { and, eq, inArray, type SQL, sql } from 'drizzle-orm'
import type { Context } from '../../context.ts'
import { AppError } from '../../core/errors.ts'
import { contentVersionOf, slugVersionOf, type Visibility } from '../../db/content-version.ts'
import { jsonObject } from '../../db/json.ts'
import { prepared } from '../../db/prepared.ts'
import type { posts } from '../../db/schema.ts'
import { groupByBytes, RESPONSE_BUDGET_BYTES } from '../byte-budget.ts'
import { GUIDE } from '../guides/guide.ts'
import { POST } from '../posts/post.ts'
import { apiBytes, apiColumns, articleJson, articlesById, type Fields } from './field-table.ts'
import { type Filters, type Status, shownStatus } from './filters.ts'
import {
  findArticles,
  listPlaceholders,
  type Order,
  orderBy,
  orderByUpdate,
  type PageNumber,
  toListParams,
} from './find.ts'
import { type Kind, requireSlug } from './kind.ts'

type Noun = Kind['noun']

/** By noun, because the variant of a prepared statement is JSON. */
const KINDS: Record<Noun, Kind> = { post: POST, guide: GUIDE }

type ListShape = {
  noun: Noun
  asked: string[]
  order: Order
  fields: Fields
  include: string[]
  visibility: Visibility
}

/** Page and total from one snapshot. Articles beyond Neon's response limit come only as `pending`. */
const selectList = prepared((db, { noun, asked, order, fields, include, visibility }: ListShape) => {
  const kind = KINDS[noun]
  const { table } = kind
  const { id, siteId, updatedAt } = table
  const { total, page } = findArticles(db, `${noun}s`, listPlaceholders(asked), order)
  const columns = apiColumns(kind.fields, fields, include)
  const bytes = apiBytes(kind, fields, include)
  const ordered = orderBy(order, `${noun}s`)
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
})

type Pending = { id: string; updatedAt: string; bytes: number }

/** `items` is JSON; `following` yields the articles that did not fit, or is null. */
export type ArticlePage = {
  items: string[]
  following: AsyncIterable<string> | null
  total: number
  totalPages: number
}

export type ListInput = PageNumber &
  Filters & { status?: Status; sort?: 'updatedAt' | 'publishedAt' } & FieldSelection

export type FieldSelection = { fields?: Fields; include?: string[] }

export async function listArticles(
  ctx: Context,
  kind: Kind,
  site: { id: string },
  visibility: Visibility,
  { sort, fields = null, include = [], status: askedStatus = 'all', ...input }: ListInput,
): Promise<ArticlePage> {
  const status = shownStatus(askedStatus, visibility)
  const order = sort === 'publishedAt' ? 'lastPublished' : orderByUpdate(input)
  const params = toListParams(site, { ...input, status })
  const asked = Object.keys(params)
  const statement = selectList(ctx.db, { noun: kind.noun, asked, order, fields, include, visibility })
  const rows = await statement.execute(params)
  // The row with the total exists even without articles.
  const { total, contentVersion } = rows[0]!
  ctx.noteVersionRead(contentVersion)
  const items = rows.flatMap(({ json, ...rest }) => (json === null ? [] : articleJson({ json, ...rest })))
  const pending: Pending[] = rows.flatMap((row) => (row.pending === null ? [] : JSON.parse(row.pending)))
  const selectGroup = (ids: string[]) =>
    selectByIds(ctx, kind, site, ids, { fields, include, status, visibility })
  const following = pending.length > 0 ? fetchPending(ctx, pending, selectGroup) : null
  return { items, following, total, totalPages: Math.ceil(total / input.pageSize) }
}

/** Skips an article deleted in between. One edited in between keeps the page's `updatedAt`, so that a poller gets the edit again. */
async function* fetchPending(
  ctx: Context,
  pending: Pending[],
  select: (ids: string[]) => ReturnType<typeof selectByIds>,
): AsyncGenerator<string> {
  for (const group of groupByBytes(pending, (row) => row.bytes)) {
    const rows = await select(group.map(({ id }) => id))
    ctx.noteVersionRead(rows[0]?.contentVersion)
    const found = articlesById(rows)
    for (const { id, updatedAt } of group) {
      const json = found.get(id)
      if (json) yield JSON.stringify({ ...JSON.parse(json), updatedAt })
    }
  }
}

/** `status` selects articles; `visibility` selects the content version of the whole answer. */
export function selectByIds(
  ctx: Context,
  { table, fields }: Kind,
  site: { id: string },
  ids: string[],
  {
    fields: asked = null,
    include,
    status,
    visibility,
  }: FieldSelection & { status: Status; visibility: Visibility },
) {
  const { id, siteId } = table
  return ctx.db
    .select({
      id,
      contentVersion: contentVersionOf(site.id, visibility),
      ...apiColumns(fields, asked, include),
    })
    .from(table as typeof posts)
    .where(and(eq(siteId, site.id), inArray(id, ids), hasStatus(table, status)))
}

type OneShape = { noun: Noun; fields: Fields; include: string[]; status: Visibility; isById: boolean }

const selectOne = prepared((db, { noun, fields: asked, include, status, isById }: OneShape) => {
  const { table, fields } = KINDS[noun]
  const [siteId, slug] = [sql.placeholder('siteId'), sql.placeholder('slug')]
  return db
    .select({
      ...apiColumns(fields, asked, include),
      contentVersion: isById ? contentVersionOf(siteId, status) : slugVersionOf(siteId, slug, status),
    })
    .from(table as typeof posts)
    .where(
      and(
        eq(table.siteId, siteId),
        isById
          ? and(eq(table.id, sql.placeholder('id')), sql`${slug} in (${table.slug}, ${table.id}::text)`)
          : eq(table.slug, slug),
        hasStatus(table, status),
      ),
    )
})

/** With `postId`, finds only this post, by slug or id. */
type OneInput = FieldSelection & { status: Visibility; postId?: string }

/** Returns JSON. @throws AppError post_not_found or guide_not_found */
export async function getArticle(
  ctx: Context,
  kind: Kind,
  site: { id: string },
  slugText: string,
  { status, fields = null, include = [], postId: id }: OneInput,
): Promise<string> {
  const { noun, missing } = kind
  const slug = requireSlug(kind, slugText)
  const isById = id !== undefined
  const statement = selectOne(ctx.db, { noun, fields, include, status, isById })
  const [row] = await statement.execute({ siteId: site.id, slug, ...(isById && { id }) })
  if (!row) throw new AppError(missing)
  ctx.noteVersionRead(row.contentVersion)
  return articleJson(row)
}

const hasStatus = ({ status: column }: Kind['table'], status: Status): SQL | undefined =>
  status === 'all' ? undefined : sql`${column} = ${status}`
