/** The lock that puts the writers of one site in a row. */
import { sql } from 'drizzle-orm'
import type { Database } from './client.ts'

/**
 * First statement of a batch that writes posts, guides or training rows: taken before any row lock, so that two
 * writers never wait for each other, and in a statement of its own, so that the next one sees what the last
 * writer committed.
 */
export function lockSite(db: Database, siteId: string) {
  return db.execute(sql`select lock_site(${siteId}::uuid)`)
}
