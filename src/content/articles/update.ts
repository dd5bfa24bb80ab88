/** Updates articles that differ, and returns each before and after. */
import { and, eq, not, type SQL } from 'drizzle-orm'
import type { PgUpdateSetSource } from 'drizzle-orm/pg-core'
import type { Context } from '../../context.ts'
import { AppError } from '../../core/errors.ts'
import type { posts } from '../../db/schema.ts'
import type { SiteScope } from '../../db/site-scope.ts'
import { type Sending, type Written, writeSite } from '../../freshness/write-site.ts'
import { type ArticleTable, type Kind, requireSlug } from './kind.ts'
import { isHidden, type StateChange, stateColumns, toStateChanges } from './state-change.ts'

export type Update = {
  set: PgUpdateSetSource<typeof posts>
  /** Articles to skip. The SQL must not be null, because it is negated. */
  unless: SQL | undefined
  events?: Sending | undefined
}

export async function updateArticles(
  ctx: Context,
  table: ArticleTable,
  site: SiteScope,
  which: SQL,
  { set, unless, events }: Update,
): Promise<Omit<Written<unknown>, 'results'> & { changes: StateChange[] }> {
  const shared = table as typeof posts
  const columns = stateColumns(shared)
  const isHere = and(eq(shared.siteId, site.id), which)
  const update = ctx.db.update(shared).set(set)
  const { results, ...written } = await writeSite(
    ctx,
    site.id,
    [
      ctx.db.select(columns).from(shared).where(isHere),
      update.where(and(isHere, not(unless!))).returning(columns),
    ],
    { sending: events, hidesPublished: ([before, after]) => toStateChanges(before, after).some(isHidden) },
  )
  return { ...written, changes: toStateChanges(...results) }
}

/** @throws AppError post_not_found or guide_not_found */
export async function updateArticle(
  ctx: Context,
  { table, missing }: Kind,
  site: SiteScope,
  slugText: string,
  update: Update,
): Promise<StateChange & { eventsNotSent: number }> {
  const isNamed = eq(table.slug, requireSlug({ missing }, slugText))
  const { changes, eventsNotSent } = await updateArticles(ctx, table, site, isNamed, update)
  if (!changes[0]) throw new AppError(missing)
  return { ...changes[0], eventsNotSent }
}
