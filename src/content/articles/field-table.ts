/**
 * Describes the fields of posts and guides. A table has an entry for each field; a field without an entry is neither accepted
 * nor shown.
 */
import { is, type SQL, sql } from 'drizzle-orm'
import { type PgColumn, PgJsonb } from 'drizzle-orm/pg-core'
import * as z from 'zod/mini'
import { type Columns, jsonObject, withMember } from '../../db/json.ts'

export type Field = {
  /** The column that is read, or SQL in its place. */
  column: PgColumn | SQL
  /** Its schema as it is read. Missing if only the service reads it. */
  shape?: z.core.$ZodType
  /**
   * In the API: `always`, `shown` unless `?fields` leaves it out, `included-alone` and `included` only with `?include`, of a single
   * article or in lists too. Missing: never.
   */
  api?: 'always' | 'shown' | 'included-alone' | 'included'
  /**
   * For the operator and in exports: in the `body` that puts the article again, `listed` also in lists, or `readOnly`, outside the
   * body, because the service sets it. Missing: never.
   */
  operator?: 'body' | 'listed' | 'readOnly'
  /** Stands in the operator's body instead of the column. */
  inBody?: SQL
  /** Its schema in the body of a put. Missing: the service sets it. */
  input?: z.ZodMiniType
  /** Describes the input in the documents, or the shape of a field that nobody puts. */
  docs?: z.core.GlobalMeta
  /** Its column is written by a put: an `edit` clears `readyAt`, and a `state` does not. */
  put?: 'edit' | 'state'
  /** The audit log has its old and new value. */
  audited?: true
  /** Its JSON is large enough to count towards the size of a response. `contentHtml` is larger still. */
  heavy?: true
  /** The release of CHANGELOG.md that brought it, for the documents. Missing: the first. */
  since?: string
}

export type FieldTable = Record<string, Field>

/** The fields that a put takes, with their schemas. */
export type Inputs<Table> = {
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

type Api = { api: NonNullable<Field['api']> }

function pick(table: FieldTable, isWanted: (field: Field) => unknown): [name: string, field: Field][] {
  return Object.entries(table).filter(([, field]) => isWanted(field))
}

function shapesOf(table: FieldTable, isWanted: (field: Field) => unknown) {
  return Object.fromEntries(pick(table, isWanted).map(([name, { shape }]) => [name, shape]))
}

/** Groups fields into one object, which the API shows with `?include`. */
export function groupFields<const Table extends Record<string, { column: PgColumn; shape: z.core.$ZodType }>>(
  table: Table,
) {
  const shape = shapesOf(table, () => true) as { -readonly [Name in keyof Table]: Table[Name]['shape'] }
  return { column: jsonObject(columnsOf(table, () => true)), shape: z.optional(z.object(shape)) }
}

/** The schemas of a put's body. */
export function inputOf<const Table extends FieldTable>(table: Table): Inputs<Table> {
  const inputs = pick(table, ({ input }) => input).map(([name, { input }]) => [name, input])
  return Object.fromEntries(inputs) as Inputs<Table>
}

/** The schemas of the fields that the API shows. */
export function apiShapes<const Table extends FieldTable>(table: Table): Shapes<Table, Api> {
  return shapesOf(table, ({ api }) => api) as Shapes<Table, Api>
}

/** The schemas of an item of the operator's list, but `id` and `updatedAt`. */
export function listedShapes<const Table extends FieldTable>(
  table: Table,
): Shapes<Table, { operator: 'listed' | 'readOnly' }> {
  return shapesOf(table, isListed) as never
}

/** The schemas of the fields that the service sets. */
export function readOnlyShapes<const Table extends FieldTable>(
  table: Table,
): Shapes<Table, { operator: 'readOnly' }> {
  return shapesOf(table, ({ operator }) => operator === 'readOnly') as never
}

const isListed = ({ operator }: Field) => operator === 'listed' || operator === 'readOnly'

function columnsOf(table: FieldTable, isWanted: (field: Field, name: string) => unknown): Columns {
  const wanted = Object.entries(table).filter(([name, field]) => isWanted(field, name))
  return Object.fromEntries(wanted.map(([name, { column }]) => [name, column]))
}

export const listedColumns = (table: FieldTable) => columnsOf(table, isListed)

export const readOnlyColumns = (table: FieldTable) =>
  columnsOf(table, ({ operator }) => operator === 'readOnly')

/** A text that changes with any field, type or order that the API shows. */
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

const isAsked = (fields: Fields, name: string): boolean => fields?.includes(name) ?? true

/** The names of the fields that the API shows, and of those that it always shows. */
export function apiNames(table: FieldTable): { all: string[]; always: string[] } {
  const names = (...kinds: Field['api'][]) =>
    pick(table, ({ api }) => api && kinds.includes(api)).map(([name]) => name)
  const shown = names('always', 'shown').filter((name) => name !== 'contentHtml')
  return { all: [...shown, 'contentHtml', ...includable(table, { alone: true })], always: names('always') }
}

/** `included` has the JSON of further members, each after a comma. A null one is missing. */
export type WireColumns = { json: SQL<string>; contentHtml: SQL<string | null>; included?: SQL<string> }

/** `contentHtml` is apart, since Postgres would escape its quotes twice. */
function wireColumns(table: FieldTable, columns: Columns, fields: Fields): WireColumns {
  return {
    json: jsonObject(columns),
    contentHtml: isAsked(fields, 'contentHtml') ? sql`${table.contentHtml!.column}` : sql`null::text`,
  }
}

/** The names that `?include` takes. */
export const includable = (table: FieldTable, { alone }: { alone: boolean }): string[] =>
  pick(table, ({ api }) => api === 'included' || (alone && api === 'included-alone')).map(([name]) => name)

/** The columns for the API: the fields asked for, and those included. */
export function apiColumns(table: FieldTable, fields: Fields, include: string[] = []): WireColumns {
  const isShown = ({ api }: Field, name: string) =>
    (api === 'always' || api === 'shown') && name !== 'contentHtml' && isAsked(fields, name)
  return {
    ...wireColumns(table, columnsOf(table, isShown), fields),
    ...includedColumn(table, fields, include),
  }
}

/** An empty column for a table without any of the fields, since both tables of a union need it. */
function includedColumn(table: FieldTable, fields: Fields, include: string[]) {
  const members = includedIn(table, fields, include).map(([name, { column }]) => {
    const member = sql`${sql.raw(`',"${name}":'`)} || ${column}::text`
    return sql` || coalesce(${member}, '')`
  })
  return include.length > 0 && { included: sql<string>`''${sql.join(members)}` }
}

const includedIn = (table: FieldTable, fields: Fields, include: string[]) =>
  Object.entries(table).filter(([name]) => include.includes(name) && isAsked(fields, name))

/** The columns for the operator: the body that puts the article. */
export function bodyColumns(table: FieldTable): WireColumns {
  const body = pick(table, ({ operator }) => operator === 'body' || operator === 'listed')
  const columns = body.flatMap(([name, { inBody, column }]) =>
    name === 'contentHtml' ? [] : [[name, inBody ?? column] as const],
  )
  return wireColumns(table, Object.fromEntries(columns), null)
}

export type ArticleRow = { id: string; json: string; contentHtml: string | null; included?: string | null }

/** The JSON of an article's row. */
export function articleJson({ json, contentHtml, included }: Omit<ArticleRow, 'id'>): string {
  const shown = contentHtml === null ? json : withMember(json, 'contentHtml', JSON.stringify(contentHtml))
  return included ? `${shown.slice(0, -1)}${included}}` : shown
}

/** JSON of articles, by id. */
export function articlesById(rows: ArticleRow[]): Map<string, string> {
  return new Map(rows.map((row) => [row.id, articleJson(row)]))
}

/** JSON bytes of the heavy fields that are asked for or included. The column `wireBytes` has the sum of all heavy fields. */
export function apiBytes(table: FieldTable, wireBytes: PgColumn, fields: Fields, include: string[]): SQL {
  const isWhole = isAsked(fields, 'contentHtml')
  const heavy = isWhole ? [] : pick(table, ({ heavy }) => heavy).filter(([name]) => isAsked(fields, name))
  const counted = [...heavy, ...includedIn(table, fields, include)]
  return sumOfBytes(isWhole ? sql`${wireBytes}` : sql`0`, counted)
}

/** JSON bytes of the body that puts an article: `wireBytes` and the fields that the API shows only with `?include`. */
export function bodyBytes(table: FieldTable, wireBytes: PgColumn): SQL {
  const isUncounted = ({ operator, column, heavy }: Field) =>
    operator === 'body' && is(column, PgJsonb) && !heavy
  return sumOfBytes(sql`${wireBytes}`, pick(table, isUncounted))
}

function sumOfBytes(first: SQL, fields: [name: string, field: Field][]): SQL {
  return sql.join([first, ...fields.map(([, { column }]) => sql`json_bytes(${column}::text)`)], sql` + `)
}

/** The fields that count as an edit when a put overwrites them. */
export const editedByPut = (table: FieldTable): string[] =>
  pick(table, ({ put }) => put === 'edit').map(([name]) => name)
