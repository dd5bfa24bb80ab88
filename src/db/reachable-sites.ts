/** What restricts a query over sites to those that the actor reaches. */
import { type AnyColumn, type SQL, sql } from 'drizzle-orm'
import type { Actor } from '../core/actor.ts'

/** That a column has the id of such a site. Undefined, for `and`, where it reaches all. */
export function ofReachableSites(
  { actor }: { actor: Actor | null },
  siteId: AnyColumn | SQL,
): SQL | undefined {
  return actor?.sites ? sql`${siteId} = any(${`{${actor.sites.join()}}`}::uuid[])` : undefined
}
