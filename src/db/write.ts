/** Runs a write as one transaction, names its actor to the triggers, and records if it was committed. */
import { sql } from 'drizzle-orm'
import type { BatchItem, BatchResponse } from 'drizzle-orm/batch'
import type { Actor } from '../core/actor.ts'
import { type Database, databaseError } from './client.ts'

type Statements = Readonly<[BatchItem<'pg'>, ...BatchItem<'pg'>[]]>
/** If a write has reached the database, for an answer that has to say so after a failure. */
export type Committed = 'no' | 'unknown' | 'yes'

/** The parts of the context that a transaction needs. */
type Writer = { db: Database; actor: Actor | null; actId: string; written: { committed: Committed } }

const TRIES = 3
const DEADLOCK = '40P01'
/** Codes of a connection that broke: the transaction may have been committed before. */
const BROKEN = /^(?:08|57P)/

/**
 * Runs statements in one transaction. If no reply comes, `written.committed` is unknown.
 *
 * `lock` is the id of a site whose posts, guides or training rows are written. Its lock comes before any row lock, so that two
 * writers cannot deadlock, and in its own statement, so that the next one sees what the previous writer committed. SQL
 * written by hand may lock rows first. If Postgres then aborts this transaction to end a deadlock, it is run again.
 */
export async function writeAs<Batch extends Statements>(
  ctx: Writer,
  statements: Batch,
  { lock }: { lock?: string } = {},
): Promise<BatchResponse<Batch>> {
  const { db, written } = ctx
  const locking = lock === undefined ? sql`` : sql`lock_site(${lock}::uuid), `
  for (let tried = 1; ; tried++) {
    try {
      const [, ...results] = await db.batch([
        db.execute(sql`select ${locking}${setActor(ctx)}`),
        ...statements,
      ])
      if (written.committed === 'no') written.committed = 'yes'
      return results as BatchResponse<Batch>
    } catch (error) {
      const code = databaseError(error)?.code
      if (!code || BROKEN.test(code)) written.committed = 'unknown'
      if (lock === undefined || tried === TRIES || code !== DEADLOCK) throw error
    }
  }
}

/** Expressions for the first statement of a transaction: what the columns of `auditLog` have by default. */
function setActor({ actor, actId }: Pick<Writer, 'actor' | 'actId'>) {
  const set = (name: string, value: string | null | undefined) =>
    sql`set_config(${`audit.${name}`}, ${value ?? ''}, true)`
  return sql`${set('actor_id', actor?.id)}, ${set('actor', actor?.name)}, ${set('door', actor?.door)}, ${set('address', actor?.address)}, ${set('act_id', actId)}`
}

/** An expression for a statement of a transaction: what its updates of posts are called in the log. */
export const setVerb = (verb: 'rebuilt') => sql`set_config('audit.verb', ${verb}, true)`

/** The same: what somebody has edited in them, as the log names it. */
export const setEditedFields = (names: string[]) => sql`set_config('audit.fields', ${names.join(', ')}, true)`
