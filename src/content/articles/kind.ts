/** The differences between posts and guides. */
import type { SQL } from 'drizzle-orm'
import { AppError, type ErrorCode } from '../../core/errors.ts'
import type { guides, posts } from '../../db/schema.ts'
import type { SiteScope } from '../../db/site-scope.ts'
import { parseSlug } from '../model/slug.ts'
import type { FieldTable } from './field-table.ts'

export type ArticleInput = {
  slug: string
  title: string
  contentHtml: string
  originId?: string | null | undefined
  /** Only posts have a source. */
  sourceSlug?: string | null | undefined
}

export type ArticleTable = typeof posts | typeof guides

export type Kind = {
  noun: 'post' | 'guide'
  missing: ErrorCode
  table: ArticleTable
  fields: FieldTable
  changesRequested?: SQL
  /** True if the row was scheduled, or changes were requested, since its `updatedAt`. */
  touched?: SQL
  /** Columns that change with the slug. */
  following?: (site: SiteScope, slug: string) => Record<string, SQL>
}

/** Returns the stored form. @throws AppError post_not_found or guide_not_found */
export function requireSlug({ missing }: Pick<Kind, 'missing'>, slugText: string): string {
  const slug = parseSlug(slugText)
  if (!slug) throw new AppError(missing)
  return slug
}
