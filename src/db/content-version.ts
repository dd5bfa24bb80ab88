/**
 * The content version that a statement reads a site at, as one of its columns: version and rows are of one snapshot. Told
 * by a statement of its own, it may be that of another commit.
 */
import { type SQL, sql } from 'drizzle-orm'
import { sites } from './schema.ts'

/** Null when the site is gone. `siteId` is a value or a placeholder. */
export function contentVersionOf(siteId: unknown): SQL<number | null> {
  return sql`(select v.content_version from ${sites} v where v.id = ${siteId})`.mapWith(Number)
}
