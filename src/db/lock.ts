/** The lock that puts the writers of one site in a row. */
import { sql } from 'drizzle-orm'
import type { BatchItem, BatchResponse } from 'drizzle-orm/batch'
import { type Database, databaseError } from './client.ts'

const TRIES = 3
const DEADLOCK = '40P01'

/**
 * Runs statements that write posts, guides or training rows of a site in one transaction, under its lock.
 *
 * The lock is taken before any row lock, so that two writers never wait for each other, and in a statement of its
 * own, so that the next one sees what the last writer committed. SQL written by hand may lock rows first; when the
 * database ends such a circle at our cost, the transaction, undone as a whole, is tried again.
 */
export async function writeLocked<Statements extends Readonly<[BatchItem<'pg'>, ...BatchItem<'pg'>[]]>>(
  db: Database,
  siteId: string,
  statements: Statements,
): Promise<BatchResponse<Statements>> {
  for (let tried = 1; ; tried++) {
    try {
      const lock = db.execute(sql`select lock_site(${siteId}::uuid)`)
      const [, ...results] = await db.batch([lock, ...statements])
      return results as BatchResponse<Statements>
    } catch (error) {
      if (tried === TRIES || databaseError(error)?.code !== DEADLOCK) throw error
    }
  }
}
