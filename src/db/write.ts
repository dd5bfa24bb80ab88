/** Runs a write as one transaction, passes its actor to the triggers, and records whether it was committed. */
import { sql } from 'drizzle-orm'
import type { BatchItem, BatchResponse } from 'drizzle-orm/batch'
import type { Actor } from '../core/actor.ts'
import { type Database, databaseError } from './client.ts'

type Statements = Readonly<[BatchItem<'pg'>, ...BatchItem<'pg'>[]]>
/** Says if a write was committed, for the response after a failure. */
export type Committed = 'no' | 'unknown' | 'yes'

/** The parts of the context that a transaction needs. */
type Writer = { db: Database; actor: Actor | null; actId: string; written: { committed: Committed } }

const TRIES = 3
const DEADLOCK = '40P01'
/** Connection error codes, after which the transaction may have been committed. */
const BROKEN = /^(?:08|57P)/

/**
 * Runs statements in one transaction. Without a reply, `written.committed` is `unknown`.
 *
 * `lock` is the id of the site whose posts, guides or training rows change. The lock precedes all row locks, so that two
 * writers cannot deadlock. It is a separate statement, so that later statements see the previous writer's commit. Manual SQL
 * may lock rows first. If Postgres then aborts this transaction as a deadlock victim, we retry it.
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

/** Settings for the first statement of a transaction. They are the defaults of `auditLog` columns. */
function setActor({ actor, actId }: Pick<Writer, 'actor' | 'actId'>) {
  const set = (name: string, value: string | null | undefined) =>
    sql`set_config(${`audit.${name}`}, ${value ?? ''}, true)`
  return sql`${set('actor_id', actor?.id)}, ${set('actor', actor?.name)}, ${set('door', actor?.door)}, ${set('address', actor?.address)}, ${set('act_id', actId)}`
}

/** Setting: how the audit log names this transaction's post updates. */
export const setVerb = (verb: 'rebuilt') => sql`set_config('audit.verb', ${verb}, true)`

/** Setting: the edited fields, as the audit log names them. */
export const setEditedFields = (names: string[]) => sql`set_config('audit.fields', ${names.join(', ')}, true)`
