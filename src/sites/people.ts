/** A person with everything that their console page shows, and the sites to offer in its form. */
import { and, eq, isNull, ne, sql } from 'drizzle-orm'
import type { Context } from '../context.ts'
import { isAllowed } from '../core/actor.ts'
import { ofReachableSites } from '../db/reachable-sites.ts'
import { operators, operatorTokens, posts, previewLinks, sites } from '../db/schema.ts'
import { selectCreatedItems, toCreatedItems } from '../people/access-loss.ts'
import { isTokenLive } from '../people/operator-tokens.ts'
import { getOperator } from '../people/operators.ts'
import { selectSessions, toSession } from '../people/sessions.ts'

/** The form offers no more than this, but always the person's own. The command line has no limit. */
const MAX_OFFERED = 1_000

export type OfferedSite = { id: string; name: string; domain: string }

export async function listOfferedSites(ctx: Context, operatorId?: string): Promise<OfferedSite[]> {
  return selectOfferedSites(ctx, operatorId)
}

const selectOfferedSites = (ctx: Context, operatorId: string | null = null) =>
  ctx.db
    .select({ id: sites.id, name: sites.name, domain: sites.domain })
    .from(sites)
    .where(and(ofReachableSites(ctx, sites.id), isNull(sites.deletionStartedAt)))
    .orderBy(
      sql`${sites.id} = any((select o.sites from ${operators} o where o.id = ${operatorId})::uuid[]) is not true`,
      sql`lower(${sites.name})`,
      sites.id,
    )
    .limit(MAX_OFFERED)

export type GivenToken = Awaited<ReturnType<typeof selectGivenTokens>>[number]

/** The people that a person created working tokens and sign-in links for. */
const selectGivenTokens = (ctx: Context, operatorId: string) =>
  ctx.db
    .select({ id: operators.id, name: operators.name, count: sql<number>`count(*)::integer` })
    .from(operatorTokens)
    .innerJoin(operators, eq(operators.id, operatorTokens.operatorId))
    .where(
      and(eq(operatorTokens.createdBy, operatorId), ne(operatorTokens.operatorId, operatorId), isTokenLive),
    )
    .groupBy(operators.id)
    .orderBy(sql`lower(${operators.name})`)

/** Sites of a person's schedules and preview links. More sites than the form offers may exist. */
const selectSitesOfItems = ({ db }: Context, operatorId: string) =>
  db
    .select({ id: sites.id, name: sites.name })
    .from(sites)
    .where(sql`${sites.id} in (
      select site_id from ${posts} where publish_at is not null and scheduled_by ->> 'id' = ${operatorId}
      union select site_id from ${previewLinks} where made_by = ${operatorId})`)

/** Two calls. `sessions` and `made` are null if the actor may not see them. @throws AppError operator_not_found */
export async function getPersonDetails(ctx: Context, operatorId: string) {
  const person = await getOperator(ctx, operatorId)
  const [offered, open, made, given, madeIn] = await ctx.db.batch([
    selectOfferedSites(ctx, operatorId),
    selectSessions(ctx, operatorId),
    selectCreatedItems(ctx, operatorId),
    selectGivenTokens(ctx, operatorId),
    selectSitesOfItems(ctx, operatorId),
  ])
  const canSee = ctx.actor?.id === operatorId || isAllowed(ctx.actor!, 'admin')
  return {
    person,
    offered,
    sessions: canSee ? open.map(toSession) : null,
    made: canSee ? { ...toCreatedItems(made), given, sites: madeIn } : null,
  }
}
