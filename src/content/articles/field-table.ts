/** The fields of posts and guides. A field without an entry is neither accepted nor shown. */
import { is, type SQL, sql } from 'drizzle-orm'
import { type PgColumn, PgJsonb } from 'drizzle-orm/pg-core'
import * as z from 'zod/mini'
import { type Columns, jsonObject, withMember } from '../../db/json.ts'

export type Field = {
  column: PgColumn | SQL
  /** The schema for reading. Missing if only the service reads it. */
  shape?: z.core.$ZodType
  /**
   * `shown`: unless `?fields` omits it. `included`: only with `?include`. `included-alone`: the same, but not in lists. Missing:
   * never.
   */
  api?: 'always' | 'shown' | 'included-alone' | 'included'
  /** In the operator's `body`, `listed` also in lists, `readOnly` outside the body because the service sets it. Missing: never. */
  operator?: 'body' | 'listed' | 'readOnly'
  /** Replaces the column in the operator's body. */
  inBody?: SQL
  /** The schema in a put. Missing: the service sets it. */
  input?: z.ZodMiniType
  /** Describes the input in the API docs, or the shape if there is no input. */
  docs?: z.core.GlobalMeta
  /** An `edit` clears `readyAt`, a `state` does not. */
  put?: 'edit' | 'state'
  audited?: true
  /** Counts towards the size of a response. `contentHtml` always does. */
  heavy?: true
  /** The release that added it, as in CHANGELOG.md. Missing: the first. */
  since?: string
}

export type FieldTable = Record<string, Field>

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

type IsWanted = (field: Field, name: string) => unknown

function pick(table: FieldTable, isWanted: IsWanted): [name: string, field: Field][] {
  return Object.entries(table).filter(([name, field]) => isWanted(field, name))
}

function shapesOf(table: FieldTable, isWanted: IsWanted) {
  return Object.fromEntries(pick(table, isWanted).map(([name, { shape }]) => [name, shape]))
}

function columnsOf(table: FieldTable, isWanted: IsWanted): Columns {
  return Object.fromEntries(pick(table, isWanted).map(([name, { column }]) => [name, column]))
}

export function groupFields<const Table extends Record<string, { column: PgColumn; shape: z.core.$ZodType }>>(
  table: Table,
) {
  const shape = shapesOf(table, () => true) as { -readonly [Name in keyof Table]: Table[Name]['shape'] }
  return { column: jsonObject(columnsOf(table, () => true)), shape: z.optional(z.object(shape)) }
}

export function inputOf<const Table extends FieldTable>(table: Table): Inputs<Table> {
  const inputs = pick(table, ({ input }) => input).map(([name, { input }]) => [name, input])
  return Object.fromEntries(inputs) as Inputs<Table>
}

export function apiShapes<const Table extends FieldTable>(table: Table): Shapes<Table, Api> {
  return shapesOf(table, ({ api }) => api) as Shapes<Table, Api>
}

/** Without `id` and `updatedAt`. */
export function listedShapes<const Table extends FieldTable>(
  table: Table,
): Shapes<Table, { operator: 'listed' | 'readOnly' }> {
  return shapesOf(table, isListed) as never
}

export function readOnlyShapes<const Table extends FieldTable>(
  table: Table,
): Shapes<Table, { operator: 'readOnly' }> {
  return shapesOf(table, ({ operator }) => operator === 'readOnly') as never
}

const isListed = ({ operator }: Field) => operator === 'listed' || operator === 'readOnly'

export const listedColumns = (table: FieldTable) => columnsOf(table, isListed)

export const readOnlyColumns = (table: FieldTable) =>
  columnsOf(table, ({ operator }) => operator === 'readOnly')

/** A fingerprint: it changes with any field, type or order that the API shows. */
export function apiFormat(table: FieldTable): string {
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

/** Null for all. */
export type Fields = readonly string[] | null

const isAsked = (fields: Fields, name: string): boolean => fields?.includes(name) ?? true

export function apiNames(table: FieldTable): { all: string[]; always: string[] } {
  const names = (...kinds: Field['api'][]) =>
    pick(table, ({ api }) => api && kinds.includes(api)).map(([name]) => name)
  const shown = names('always', 'shown').filter((name) => name !== 'contentHtml')
  return { all: [...shown, 'contentHtml', ...includable(table, { alone: true })], always: names('always') }
}

/** `included` is the JSON of further members, each after a comma, without null ones. */
export type WireColumns = { json: SQL<string>; contentHtml: SQL<string | null>; included?: SQL<string> }

/** `contentHtml` is separate, because Postgres would escape its quotes twice. */
function wireColumns(table: FieldTable, columns: Columns, fields: Fields): WireColumns {
  return {
    json: jsonObject(columns),
    contentHtml: isAsked(fields, 'contentHtml') ? sql`${table.contentHtml!.column}` : sql`null::text`,
  }
}

export const includable = (table: FieldTable, { alone }: { alone: boolean }): string[] =>
  pick(table, ({ api }) => api === 'included' || (alone && api === 'included-alone')).map(([name]) => name)

export function apiColumns(table: FieldTable, fields: Fields, include: string[] = []): WireColumns {
  const isShown = ({ api }: Field, name: string) =>
    (api === 'always' || api === 'shown') && name !== 'contentHtml' && isAsked(fields, name)
  return {
    ...wireColumns(table, columnsOf(table, isShown), fields),
    ...includedColumn(table, fields, include),
  }
}

/** Empty for a table without any of the fields, because both tables of a union need the column. */
function includedColumn(table: FieldTable, fields: Fields, include: string[]) {
  const members = includedIn(table, fields, include).map(([name, { column }]) => {
    const member = sql`${sql.raw(`',"${name}":'`)} || ${column}::text`
    return sql` || coalesce(${member}, '')`
  })
  return include.length > 0 && { included: sql<string>`''${sql.join(members)}` }
}

const includedIn = (table: FieldTable, fields: Fields, include: string[]) =>
  pick(table, (_, name) => include.includes(name) && isAsked(fields, name))

export function bodyColumns(table: FieldTable): WireColumns {
  const body = pick(table, ({ operator }) => operator === 'body' || operator === 'listed')
  const columns = body.flatMap(([name, { inBody, column }]) =>
    name === 'contentHtml' ? [] : [[name, inBody ?? column] as const],
  )
  return wireColumns(table, Object.fromEntries(columns), null)
}

export type ArticleRow = { id: string; json: string; contentHtml: string | null; included?: string | null }

export function articleJson({ json, contentHtml, included }: Omit<ArticleRow, 'id'>): string {
  const shown = contentHtml === null ? json : withMember(json, 'contentHtml', JSON.stringify(contentHtml))
  return included ? `${shown.slice(0, -1)}${included}}` : shown
}

export function articlesById(rows: ArticleRow[]): Map<string, string> {
  return new Map(rows.map((row) => [row.id, articleJson(row)]))
}

type Sized = { fields: FieldTable; table: { wireBytes: PgColumn } }

/** JSON bytes of the heavy fields to send. The column `wireBytes` is the sum of all heavy fields. */
export function apiBytes({ fields, table }: Sized, asked: Fields, include: string[]): SQL {
  const isWhole = isAsked(asked, 'contentHtml')
  const heavy = isWhole ? [] : pick(fields, ({ heavy }, name) => heavy && isAsked(asked, name))
  const counted = [...heavy, ...includedIn(fields, asked, include)]
  return sumOfBytes(isWhole ? sql`${table.wireBytes}` : sql`0`, counted)
}

/** JSON bytes of the operator's body. `wireBytes` leaves out the fields that the API shows only with `?include`. */
export function bodyBytes({ fields, table }: Sized): SQL {
  const isUncounted = ({ operator, column, heavy }: Field) =>
    operator === 'body' && is(column, PgJsonb) && !heavy
  return sumOfBytes(sql`${table.wireBytes}`, pick(fields, isUncounted))
}

function sumOfBytes(first: SQL, fields: [name: string, field: Field][]): SQL {
  return sql.join([first, ...fields.map(([, { column }]) => sql`json_bytes(${column}::text)`)], sql` + `)
}
