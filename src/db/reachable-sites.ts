import { type AnyColumn, type SQL, sql } from 'drizzle-orm'
import type { Actor } from '../core/actor.ts'

/** Undefined, for `and`, when the actor reaches all sites. */
export function ofReachableSites(
  { actor }: { actor: Actor | null },
  siteId: AnyColumn | SQL,
): SQL | undefined {
  return actor?.sites ? sql`${siteId} = any(${`{${actor.sites.join()}}`}::uuid[])` : undefined
}
