import { sql } from 'drizzle-orm'
import type { BatchItem, BatchResponse } from 'drizzle-orm/batch'
import type { Actor } from '../core/actor.ts'
import { type Database, databaseError } from './client.ts'

type Statements = Readonly<[BatchItem<'pg'>, ...BatchItem<'pg'>[]]>
export type Committed = 'no' | 'unknown' | 'yes'

type Writer = { db: Database; actor: Actor | null; changesetId: string; written: { committed: Committed } }

const TRIES = 3
const DEADLOCK = '40P01'
/** Connection error codes, after which the transaction may have been committed. */
const BROKEN = /^(?:08|57P)/

/**
 * `lock` is a site's id. It comes before any row lock, so that two writers cannot deadlock, and is a statement of its own, so
 * that later ones see the previous writer's commit. Manual SQL may lock rows first: we then retry as the deadlock's victim.
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
      if (tried === TRIES || code !== DEADLOCK) throw error
    }
  }
}

/** The defaults of `auditLog` columns read these settings. */
function setActor({ actor, changesetId }: Pick<Writer, 'actor' | 'changesetId'>) {
  const set = (name: string, value: string | null | undefined) =>
    sql`set_config(${`audit.${name}`}, ${value ?? ''}, true)`
  return sql`${set('actor_id', actor?.id)}, ${set('actor', actor?.name)}, ${set('channel', actor?.channel)}, ${set('address', actor?.address)}, ${set('changeset_id', changesetId)}`
}

/** Names this transaction's post updates in the audit log. */
export const setVerb = (verb: 'rebuilt') => sql`set_config('audit.verb', ${verb}, true)`
