/** What posts and guides differ in. */
import type { SQL } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import type { guides, posts } from '../../db/schema.ts'
import { AppError, type ErrorCode } from '../../foundation/errors.ts'
import { parseSlug } from '../../foundation/slug.ts'
import type { SiteScope } from '../../sites/sites.ts'
import { apiBytes, bodyBytes, type Fields, type FieldTable } from './field.ts'

export type ArticleInput = {
  slug: string
  title: string
  contentHtml: string
  originId?: string | null | undefined
}

/** SQL about the schedule of a row. */
type ScheduleSql = {
  isNone: SQL
  /** What an update sets to end it. */
  end: SQL
  /** When it was to be published, of a row as it was and is, if that is no longer so. */
  cancelled: (was: SQL, is: SQL) => SQL
}

export type Kind = {
  noun: 'post' | 'guide'
  missing: ErrorCode
  table: typeof posts | typeof guides
  fields: FieldTable
  /** SQL: what a put's fields need besides `i` and `e`. */
  joins: (site: SiteScope) => SQL
  /** Columns that an edit changes by itself, with what it makes of them: SQL, of `e`. */
  uponEdit: [column: PgColumn, value: string][]
  /** SQL: whether changes are requested of a row. Missing for a kind of which nobody requests any. */
  changesRequested?: SQL
  /** Missing for a kind that cannot be scheduled. */
  schedule?: ScheduleSql
  /** SQL: whether somebody has touched a row since it was published or unpublished, in what leaves its `updatedAt` as it is. */
  touched?: SQL
  /** SQL: what follows the slug when that changes. */
  following: (site: SiteScope, slug: string) => SQL
}

export type PutKind<Input extends ArticleInput> = Kind & {
  /** What a put writes besides what it was given, by field. */
  derive: (site: SiteScope, input: Input) => Record<string, unknown>
  /** Of what an edited article has besides the edit, what the put shall derive again. */
  derivedAgain: (site: SiteScope, stored: Input, edit: Partial<Input>) => Partial<Input>
}

/** JSON bytes of what of an article is large, among the fields asked for and included. */
export const bytesOf = ({ fields, table }: Kind, asked: Fields, include: string[]): SQL =>
  apiBytes(fields, table.wireBytes, asked, include)

/** The same of the body that puts it. */
export const bodyBytesOf = ({ fields, table }: Kind): SQL => bodyBytes(fields, table.wireBytes)

/** The slug as it is stored, of however it is written. @throws AppError that there is no such article */
export function slugOf({ missing }: Pick<Kind, 'missing'>, written: string): string {
  const slug = parseSlug(written)
  if (!slug) throw new AppError(missing)
  return slug
}
