/** Who writes: what they may, and how the audit log gets their name. */
import { sql } from 'drizzle-orm'
import type { BatchItem, BatchResponse } from 'drizzle-orm/batch'
import type { Context } from './context.ts'
import { noteCommit } from './db/commit.ts'
import { type doors, roles } from './db/enums.ts'
import { AppError } from './errors.ts'

export type Role = (typeof roles)[number]

export type Actor = {
  /** An operator's id, or an API key's; null for OPERATOR_TOKEN. */
  id: string | null
  name: string | null
  role: Role
  /** An operator's token, also the one that signed in to the console. Null for OPERATOR_TOKEN, Cloudflare Access and API keys. */
  token: { id: string; expiresAt: Date } | null
  door: (typeof doors)[number]
  /** The client's IP address. */
  address: string
}

export function isAllowed({ role }: Pick<Actor, 'role'>, needed: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(needed)
}

/** Every verb that writes for somebody asks this first. @throws AppError role_required */
export function requireRole({ actor }: Pick<Context, 'actor'>, needed: Role): void {
  if (actor && isAllowed(actor, needed)) return
  throw new AppError('role_required', { path: '', message: `Needs the role ${needed}` })
}

/** Runs statements in one transaction, which the triggers log as written by the actor. */
export async function writeAs<Statements extends Readonly<[BatchItem<'pg'>, ...BatchItem<'pg'>[]]>>(
  ctx: Pick<Context, 'db' | 'actor' | 'written'>,
  statements: Statements,
): Promise<BatchResponse<Statements>> {
  const { db, actor } = ctx
  const [, ...results] = await noteCommit(ctx, () =>
    db.batch([db.execute(sql`select ${setActor(actor)}`), ...statements]),
  )
  return results as BatchResponse<Statements>
}

/** Expressions for the first statement of a transaction: what the columns of `auditLog` have by default. */
export function setActor(actor: Actor | null) {
  const set = (name: string, value: string | null | undefined) =>
    sql`set_config(${`audit.${name}`}, ${value ?? ''}, true)`
  return sql`${set('actor_id', actor?.id)}, ${set('actor', actor?.name)}, ${set('door', actor?.door)}, ${set('address', actor?.address)}`
}

/** An expression for a statement of a transaction: what its updates of posts are called in the log. */
export const setVerb = (verb: 'rebuilt') => sql`set_config('audit.verb', ${verb}, true)`
