/** A condition of a put: that the article is still what was read. */
import { type SQL, sql } from 'drizzle-orm'
import { refusalOf, refuse } from '../../db/refusals.ts'
import { AppError } from '../../foundation/errors.ts'
import type { Kind } from './kind.ts'

/** Fails the batch if it is not. The site's lock keeps everybody else from writing until the commit. */
export function checkUnchanged({ table }: Kind, siteId: string, slug: string, updatedAt: string): SQL {
  return sql`select ${refuse('changed_meanwhile', sql``)} where not exists (
    select from ${table} where site_id = ${siteId} and slug = ${slug} and updated_at = ${updatedAt}::timestamptz)`
}

/** Turns its error into that of the service; null for any other error. */
export const changedProblem = (error: unknown): AppError | null =>
  refusalOf(error)?.reason === 'changed_meanwhile' ? new AppError('changed_meanwhile') : null
