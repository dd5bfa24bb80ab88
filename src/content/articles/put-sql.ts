/** In the SQL of a put, `put` is the given row, `excluded` the row to insert, and the table's name the existing row. */
import { type Column, getTableColumns, is, or, SQL, sql } from 'drizzle-orm'
import { FOLD_VERSION, foldCase } from '../../core/fold.ts'
import type { SiteScope } from '../../db/site-scope.ts'
import type { FieldTable } from './field-table.ts'
import type { ArticleInput, ArticleTable } from './kind.ts'
import type { GivenIds } from './put.ts'

type PutInput = ArticleInput & { publishedAt?: Date | null | undefined; status?: string | undefined }

/** The database sets `updatedAt`. */
export const sharedColumns = (site: SiteScope, { slug, title }: ArticleInput, ids: GivenIds) => ({
  id: ids[slug],
  siteId: site.id,
  titleFolded: foldCase(title),
  foldedFrom: title,
  foldVersion: FOLD_VERSION,
  updatedAt: undefined,
})

/** One JSON parameter costs 1 ms of CPU per 100 posts, `values` 12 ms. Contents are separate: escaped twice, they could exceed Neon's limit. */
export function selectPut(
  table: ArticleTable,
  rows: (PutInput & Record<string, unknown>)[],
  computed: Record<string, SQL> = {},
): SQL {
  const columns: [string, Column][] = Object.entries(getTableColumns(table))
  const json = rows.map(({ contentHtml: _, ...row }, index) => ({ ...row, position: index + 1 }))
  const contents = rows.map(({ contentHtml }) => sql`${contentHtml}`)
  const all: Record<string, SQL> = {
    contentHtml: sql`(array[${sql.join(contents, sql`, `)}]::text[])[put.position]`,
    publishedAt: sql`coalesce(put."publishedAt", case when put.status = 'published' then date_trunc('milliseconds', now()) end)`,
    ...computed,
  }
  const values = columns.map(([name, column]) => all[name] ?? givenOrDefault(name, column))
  const types = columns.map(([name, column]) => `"${name}" ${column.getSQLType()}`)
  return sql`select ${sql.join(values, sql`, `)}
    from jsonb_to_recordset(${JSON.stringify(json)}::jsonb) as put (position integer, "sourceSlug" text, ${sql.raw(types.join(', '))})
    order by put.position`
}

function givenOrDefault(name: string, column: Column): SQL {
  const given = sql`put.${sql.identifier(name)}`
  if (column.default === undefined) return given
  return sql`coalesce(${given}, ${is(column.default, SQL) ? column.default : sql.param(column.default, column)})`
}

export type Assignments = Record<string, SQL>

export const excluded = ({ name }: Pick<Column, 'name'>): SQL => sql`excluded.${sql.identifier(name)}`

export function setContent(table: ArticleTable, fields: FieldTable): Assignments {
  const columns: Record<string, Column> = getTableColumns(table)
  const edited = Object.entries(fields).filter(([, { put }]) => put === 'edit')
  return Object.fromEntries(edited.map(([name]) => [name, excluded(columns[name]!)]))
}

/** Keeps the states that an input omits. */
export function setStates(table: ArticleTable, inputs: PutInput[]): Assignments {
  const gives = (name: 'status' | 'publishedAt') => {
    const slugs = inputs.filter((input) => input[name] != null).map(({ slug }) => slug)
    return sql`${table.slug} = any(${sql.param(slugs)}::text[])`
  }
  return {
    status: sql`case when ${gives('status')} then excluded.status else ${table.status} end`,
    publishedAt: sql`case when ${gives('publishedAt')} then excluded.published_at
      else coalesce(${table.publishedAt}, excluded.published_at) end`,
    originId: sql`coalesce(excluded.origin_id, ${table.originId})`,
    originSlug: sql`coalesce(excluded.origin_slug, ${table.originSlug})`,
  }
}

/** Separate, because a new fold alone is not a change. */
export const setFoldedTitle = ({ titleFolded, foldedFrom, foldVersion }: ArticleTable): Assignments => ({
  titleFolded: excluded(titleFolded),
  foldedFrom: excluded(foldedFrom),
  foldVersion: excluded(foldVersion),
})

export function differs(table: ArticleTable, update: Assignments): SQL {
  const columns: Record<string, Column> = getTableColumns(table)
  return or(
    ...Object.entries(update).map(([name, value]) => sql`${columns[name]} is distinct from ${value}`),
  )!
}
