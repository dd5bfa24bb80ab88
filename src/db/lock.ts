/** The lock that puts the writers of one site in a row. */
import { sql } from 'drizzle-orm'
import type { Context } from '../context.ts'

/**
 * First statement of a batch that writes posts, guides or training rows: taken before any row lock, so that two
 * writers never wait for each other, and in a statement of its own, so that the next one sees what the last
 * writer committed.
 */
export function lockSite(ctx: Context, siteId: string) {
  return ctx.db.execute(sql`select lock_site(${siteId}::uuid)`)
}
