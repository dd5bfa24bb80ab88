/** A person with what its page in the console shows, and the sites that a person can be given. */
import { and, isNull, sql } from 'drizzle-orm'
import type { Context } from '../context.ts'
import { isAllowed } from '../core/actor.ts'
import { ofReachableSites } from '../db/reachable-sites.ts'
import { sites } from '../db/schema.ts'
import { selectMade, toMade } from '../people/departures.ts'
import { getOperator } from '../people/operators.ts'
import { selectSessions, toSession } from '../people/sessions.ts'

/** More than a form can offer are given on the command line. */
const MAX_OFFERED = 1_000

export type OfferedSite = { id: string; name: string; domain: string }

/** By name: those that the actor reaches, without those that are being deleted. */
export async function listOfferedSites(ctx: Context): Promise<OfferedSite[]> {
  return selectOfferedSites(ctx)
}

const selectOfferedSites = (ctx: Context) =>
  ctx.db
    .select({ id: sites.id, name: sites.name, domain: sites.domain })
    .from(sites)
    .where(and(ofReachableSites(ctx, sites.id), isNull(sites.deletionStartedAt)))
    .orderBy(sql`lower(${sites.name})`, sites.id)
    .limit(MAX_OFFERED)

/** With two calls. `sessions` and `made` are null where they are not the actor's to see. @throws AppError operator_not_found */
export async function getPersonInFull(ctx: Context, operatorId: string) {
  const person = await getOperator(ctx, operatorId)
  const [offered, open, ...made] = await ctx.db.batch([
    selectOfferedSites(ctx),
    selectSessions(ctx, operatorId),
    ...selectMade(ctx, operatorId),
  ])
  const maySee = ctx.actor?.id === operatorId || isAllowed(ctx.actor!, 'admin')
  return {
    person,
    offered,
    sessions: maySee ? open.map(toSession) : null,
    made: maySee ? toMade(made) : null,
  }
}
