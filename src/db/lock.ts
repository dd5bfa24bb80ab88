/** One writer per site at a time. */
import { sql } from 'drizzle-orm'
import type { BatchItem, BatchResponse } from 'drizzle-orm/batch'
import { setActor } from '../actor.ts'
import type { Context } from '../context.ts'
import { databaseError } from './client.ts'
import { noteCommit } from './commit.ts'

const TRIES = 3
const DEADLOCK = '40P01'

/**
 * Runs statements that write a site's posts, guides or training rows, in one transaction that holds the site's lock and
 * is logged as written by the actor.
 *
 * The lock comes before any row lock, so that two writers cannot deadlock, and in its own statement, so that the next
 * one sees what the previous writer committed. SQL written by hand may lock rows first. If Postgres then aborts this
 * transaction to end a deadlock, it is run again.
 */
export async function writeLocked<Statements extends Readonly<[BatchItem<'pg'>, ...BatchItem<'pg'>[]]>>(
  ctx: Pick<Context, 'db' | 'actor' | 'written'>,
  siteId: string,
  statements: Statements,
): Promise<BatchResponse<Statements>> {
  const { db, actor } = ctx
  for (let tried = 1; ; tried++) {
    try {
      const lock = db.execute(sql`select lock_site(${siteId}::uuid), ${setActor(actor)}`)
      const [, ...results] = await noteCommit(ctx, () => db.batch([lock, ...statements]))
      return results as BatchResponse<Statements>
    } catch (error) {
      if (tried === TRIES || databaseError(error)?.code !== DEADLOCK) throw error
    }
  }
}
