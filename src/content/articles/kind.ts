/** What posts and guides differ in. */
import { type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import type { guides, posts } from '../../db/schema.ts'
import { AppError, type ErrorCode } from '../../foundation/errors.ts'
import { parseSlug } from '../../foundation/slug.ts'
import type { SiteScope } from '../../sites/sites.ts'
import { apiBytes, type Fields, type FieldTable } from './field.ts'

export type ArticleInput = {
  slug: string
  title: string
  contentHtml: string
  originId?: string | null | undefined
}

export type Kind = {
  noun: 'post' | 'guide'
  missing: ErrorCode
  table: typeof posts | typeof guides
  fields: FieldTable
  /** SQL: what a put's fields need besides `i` and `e`. */
  joins: (site: SiteScope) => SQL
  /** What an edit sets to null. */
  untilEdited: PgColumn[]
  /** SQL: what follows the slug when that changes. */
  following: (site: SiteScope, slug: string) => SQL
  /** SQL: an INSERT of the events of the rows that a statement changes. Returns `id`, `event` and `post_id`. */
  insertEvents?: (changed: SQL) => SQL
}

export type PutKind<Input extends ArticleInput> = Kind & {
  /** What a put writes besides what it was given, by field. */
  derive: (site: SiteScope, input: Input) => Record<string, unknown>
}

/** JSON bytes of what of an article is large, among the fields asked for. */
export const bytesOf = ({ fields, table }: Kind, asked: Fields): SQL =>
  apiBytes(fields, table.wireBytes, asked)

/** The same of the body that puts it: `wire_bytes` is without what the API gives with `include` alone. */
export function bodyBytesOf({ fields, table }: Kind): SQL {
  const included = Object.values(fields).filter(({ api }) => api === 'included')
  const bytes = included.map(({ column }) => sql`json_bytes(${column}::text)`)
  return sql.join([sql`${table.wireBytes}`, ...bytes], sql` + `)
}

/** The slug as it is stored, of however it is written. @throws AppError that there is no such article */
export function slugOf({ missing }: Pick<Kind, 'missing'>, written: string): string {
  const slug = parseSlug(written)
  if (!slug) throw new AppError(missing)
  return slug
}
