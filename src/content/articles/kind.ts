/** The differences between posts and guides. */
import type { SQL } from 'drizzle-orm'
import { AppError, type ErrorCode } from '../../core/errors.ts'
import type { guides, posts } from '../../db/schema.ts'
import type { SiteScope } from '../../db/site-scope.ts'
import { parseSlug } from '../model/slug.ts'
import { apiBytes, bodyBytes, type Fields, type FieldTable } from './field-table.ts'

export type ArticleInput = {
  slug: string
  title: string
  contentHtml: string
  originId?: string | null | undefined
}

export type ArticleTable = typeof posts | typeof guides

export type Kind = {
  noun: 'post' | 'guide'
  missing: ErrorCode
  table: ArticleTable
  fields: FieldTable
  /** SQL: true if changes are requested. Missing for a kind without change requests. */
  changesRequested?: SQL
  /** SQL: true if the row was scheduled, or changes were requested, since its `updatedAt`. */
  touched?: SQL
  /** SQL: the columns that follow the slug when that changes. */
  following?: (site: SiteScope, slug: string) => Record<string, SQL>
}

/** JSON bytes of an article's heavy fields that are asked for or included. */
export const apiBytesOf = ({ fields, table }: Kind, asked: Fields, include: string[]): SQL =>
  apiBytes(fields, table.wireBytes, asked, include)

/** JSON bytes of the body that puts it. */
export const bodyBytesOf = ({ fields, table }: Kind): SQL => bodyBytes(fields, table.wireBytes)

/** The stored form of a slug as it was typed. @throws AppError that there is no such article */
export function requireSlug({ missing }: Pick<Kind, 'missing'>, slugText: string): string {
  const slug = parseSlug(slugText)
  if (!slug) throw new AppError(missing)
  return slug
}
