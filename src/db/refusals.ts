/** Errors raised in SQL, which abort the transaction: a reason and its subject. */
import { type SQL, sql } from 'drizzle-orm'
import { databaseError } from './client.ts'

/** SQLSTATE that the function `refuse` raises. */
const REFUSED = 'HC001'
/** SQLSTATE of `require_link_maker` and `check_token_maker`: the row's creator was just removed, restricted or revoked. */
export const MAKER_REFUSED = 'HC002'

export type Reason =
  | 'changed_meanwhile'
  | 'slug_taken'
  | 'id_taken'
  | 'id_not_of_slug'
  | 'id_of_another_site'
  | 'origin_taken'
  | 'source_missing'
  | 'source_is_translation'
  | 'source_circle'
  | 'target_missing'
  | 'address_circle'
  | 'too_many_addresses'
  | 'schedules_undecided'

export type Refusal = { reason: Reason; slug?: string; id?: string; position?: number; schedules?: number }

/** `about` has the properties of `Refusal` except the reason. */
export const refuse = (reason: Reason, about: SQL): SQL =>
  sql`refuse(${sql.raw(`'${reason}'`)}, jsonb_build_object(${about}))`

export function refusalOf(error: unknown): Refusal | null {
  const problem = databaseError(error)
  if (problem?.code !== REFUSED) return null
  return { reason: problem.message as Reason, ...JSON.parse(problem.detail ?? '{}') }
}
