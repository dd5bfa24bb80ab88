/**
 * What there is to know of a field of posts or guides, and what follows from it. The tables of fields are plain data; what
 * none of them lists is neither taken nor shown.
 */
import { is, type SQL, sql } from 'drizzle-orm'
import { PgColumn } from 'drizzle-orm/pg-core'
import type * as z from 'zod/mini'
import { type Columns, jsonObject, withMember } from '../../db/json.ts'

export type Field = {
  /** What is read: a column, or what stands for one. */
  column: PgColumn | SQL
  /** Its schema as it is read. Missing for what nobody reads but the service. */
  shape?: z.core.$ZodType
  /** In the API: whatever `?fields` says, unless `?fields` leaves it out, or only with `?include`. Missing: not at all. */
  api?: 'always' | 'shown' | 'included'
  /**
   * For the operator: in the body that puts the article again, also in lists, or beside that body as set by the service.
   * Exports have what the operator has. Missing: not at all.
   */
  operator?: 'body' | 'listed' | 'beside'
  /** What the operator's body has instead of the column. */
  inBody?: SQL
  /** Its schema in the body of a put. Missing: the service sets it. */
  input?: z.ZodMiniType
  /** What JSON Schema has no word for, of the input. */
  says?: z.core.GlobalMeta
  /** Its SQL type in a put, if it is no column's own. */
  inputType?: string
  /** Written by a put: an `edit` clears `readyAt`, a `state` does not, and `along` is written only when another field has changed. */
  put?: 'edit' | 'state' | 'along'
  /** What a put writes, of `i`, the input, and `e`, the article as it is. By default the input's. */
  wanted?: string
  /** Whether that, as `w`, differs from `e`. */
  differs?: string
  /** Whether the audit log has its old and new value. */
  audited?: true
  /** Whether its JSON is large, and so counts towards the size of a response. `contentHtml` is larger. */
  heavy?: true
  /** The release of CHANGELOG.md that brought it, for the documents. Missing: the first. */
  since?: string
}

export type FieldTable = Record<string, Field>

type Inputs<Table> = {
  [Name in keyof Table as Table[Name] extends { input: z.ZodMiniType } ? Name : never]: Table[Name] extends {
    input: infer Input
  }
    ? Input
    : never
}

type Shapes<Table, Of> = {
  [Name in keyof Table as Table[Name] extends Of ? Name : never]: Table[Name] extends { shape: infer Shape }
    ? Shape
    : never
}

type Api = { api: 'always' | 'shown' | 'included' }

function pick(table: FieldTable, isWanted: (field: Field) => unknown): [name: string, field: Field][] {
  return Object.entries(table).filter(([, field]) => isWanted(field))
}

function shapesOf(table: FieldTable, isWanted: (field: Field) => unknown) {
  return Object.fromEntries(pick(table, isWanted).map(([name, { shape }]) => [name, shape]))
}

/** The schemas of a put's body. */
export function inputOf<const Table extends FieldTable>(table: Table): Inputs<Table> {
  const inputs = pick(table, ({ input }) => input).map(([name, { input }]) => [name, input])
  return Object.fromEntries(inputs) as Inputs<Table>
}

/** The schemas of what the API shows. */
export function apiShapes<const Table extends FieldTable>(table: Table): Shapes<Table, Api> {
  return shapesOf(table, ({ api }) => api) as Shapes<Table, Api>
}

/** The schemas of an item of the operator's list, but `id` and `updatedAt`. */
export function listedShapes<const Table extends FieldTable>(
  table: Table,
): Shapes<Table, { operator: 'listed' | 'beside' }> {
  return shapesOf(table, isListed) as never
}

/** The schemas of what stands beside the body that puts an article again. */
export function besideShapes<const Table extends FieldTable>(
  table: Table,
): Shapes<Table, { operator: 'beside' }> {
  return shapesOf(table, ({ operator }) => operator === 'beside') as never
}

const isListed = ({ operator }: Field) => operator === 'listed' || operator === 'beside'

function columnsOf(table: FieldTable, isWanted: (field: Field, name: string) => unknown): Columns {
  const wanted = Object.entries(table).filter(([name, field]) => isWanted(field, name))
  return Object.fromEntries(wanted.map(([name, { column }]) => [name, column]))
}

export const listedColumns = (table: FieldTable) => columnsOf(table, isListed)

export const besideColumns = (table: FieldTable) => columnsOf(table, ({ operator }) => operator === 'beside')

/** The form of what the API shows: another text for another field, type or order. */
export function apiForm(table: FieldTable): string {
  return JSON.stringify(mapShape(apiShapes(table)))
}

const mapShape = (shape: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(shape).map(([name, schema]) => [name, formOf(schema as z.core.$ZodType)]))

function formOf(schema: z.core.$ZodType): unknown {
  const { type, innerType, element, shape, entries, format } = schema._zod.def as z.core.$ZodTypeDef &
    Partial<z.core.$ZodNullableDef & z.core.$ZodArrayDef & z.core.$ZodObjectDef & z.core.$ZodEnumDef> & {
      format?: string
    }
  const inner = innerType ?? element
  return [type, format, entries, inner && formOf(inner), shape && mapShape(shape)]
}

/** The fields asked for, or null for all. */
export type Fields = readonly string[] | null

export const isAsked = (fields: Fields, name: string): boolean => fields?.includes(name) ?? true

/** The names of what the API shows, and of those that come whatever is asked for. */
export function apiNames(table: FieldTable): { all: string[]; always: string[] } {
  const names = (...kinds: Field['api'][]) =>
    pick(table, ({ api }) => api && kinds.includes(api)).map(([name]) => name)
  const shown = names('always', 'shown').filter((name) => name !== 'contentHtml')
  return { all: [...shown, 'contentHtml', ...names('included')], always: names('always') }
}

export type WireColumns = { json: SQL<string>; contentHtml: SQL<string | null> }

/** `contentHtml` is apart, since Postgres would escape its quotes twice. */
function wireColumns(table: FieldTable, columns: Columns, fields: Fields): WireColumns {
  return {
    json: jsonObject(columns),
    contentHtml: isAsked(fields, 'contentHtml') ? sql`${table.contentHtml!.column}` : sql`null::text`,
  }
}

/** What is read of a row for the API, of the fields asked for. */
export function apiColumns(table: FieldTable, fields: Fields): WireColumns {
  const isShown = ({ api }: Field, name: string) =>
    (api === 'always' || api === 'shown') && name !== 'contentHtml' && isAsked(fields, name)
  return wireColumns(table, columnsOf(table, isShown), fields)
}

/** What is read of a row for the operator: the body that puts it. */
export function bodyColumns(table: FieldTable): WireColumns {
  const body = pick(table, ({ operator }) => operator === 'body' || operator === 'listed')
  const columns = body.flatMap(([name, { inBody, column }]) =>
    name === 'contentHtml' ? [] : [[name, inBody ?? column] as const],
  )
  return wireColumns(table, Object.fromEntries(columns), null)
}

export type ArticleRow = { id: string; json: string; contentHtml: string | null }

/** What is shown of an article's row. */
export function articleJson({ json, contentHtml }: Omit<ArticleRow, 'id'>): string {
  return contentHtml === null ? json : withMember(json, 'contentHtml', JSON.stringify(contentHtml))
}

/** What is shown of articles, by id. */
export function articlesById(rows: ArticleRow[]): Map<string, string> {
  return new Map(rows.map((row) => [row.id, articleJson(row)]))
}

/** JSON bytes of the heavy fields among those asked for. `wireBytes` is the column that has them of all. */
export function apiBytes(table: FieldTable, wireBytes: PgColumn, fields: Fields): SQL {
  if (isAsked(fields, 'contentHtml')) return sql`${wireBytes}`
  const heavy = Object.entries(table).filter(([name, field]) => field.heavy && isAsked(fields, name))
  return sql.join([sql`0`, ...heavy.map(([, { column }]) => sql`json_bytes(${column}::text)`)], sql` + `)
}

/** A field of a put's statement, under the name of its column. */
export type PutField = Field & { name: string; sqlName: string; type: string }

/** What a put gives, and what it writes. */
export function putFields(table: FieldTable): PutField[] {
  return pick(table, ({ put, inputType }) => put ?? inputType).map(([name, field]) => ({
    ...field,
    name,
    sqlName: is(field.column, PgColumn) ? field.column.name : name.replace(/[A-Z]/g, '_$&').toLowerCase(),
    type: field.inputType ?? (field.column as PgColumn).getSQLType(),
  }))
}
