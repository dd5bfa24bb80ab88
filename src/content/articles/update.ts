/** Updates articles that differ, and returns each before and after. */
import { and, eq, inArray, not, type SQL } from 'drizzle-orm'
import type { PgUpdateSetSource } from 'drizzle-orm/pg-core'
import * as z from 'zod/mini'
import type { Context } from '../../context.ts'
import { AppError } from '../../core/errors.ts'
import { wireTime } from '../../core/time.ts'
import type { Database } from '../../db/client.ts'
import type { posts } from '../../db/schema.ts'
import type { SiteScope } from '../../db/site-scope.ts'
import { type EventMode, type Written, writeSite } from '../../freshness/write-site.ts'
import { type ArticleTable, type Kind, requireSlug } from './kind.ts'

/** The columns that responses of writes show. Guides have only `shared`. */
const stateColumns = (table: ArticleTable) => {
  const { id, slug, status, publishedAt, updatedAt, ...others } = table as PostTable
  const { publishAt, scheduledBy, reviewStatus, changeRequest, qualityBand, readyAt } = others
  const ofPost = { publishAt, scheduledBy, reviewStatus, changeRequest, qualityBand, readyAt }
  const shared = { id, slug, status, publishedAt, updatedAt }
  return (publishAt ? { ...shared, ...ofPost } : shared) as typeof shared & typeof ofPost
}

type PostTable = typeof posts

export type State = Pick<PostTable['$inferSelect'], keyof ReturnType<typeof stateColumns>>

/** `before` and `after` are the same object if the write skipped the article. */
export type StateChange = { before: State; after: State }

function toStateChanges(found: State[], written: State[]): StateChange[] {
  const byId = new Map(written.map((row) => [row.id, row]))
  return found.map((before) => ({ before, after: byId.get(before.id) ?? before }))
}

/** Readers no longer find it at its public address. */
export const isHidden = ({ before, after }: StateChange): boolean =>
  before.status === 'published' && (after.status !== 'published' || after.slug !== before.slug)

export const selectStates = (db: Database, table: ArticleTable, site: { id: string }, slugs: string[]) =>
  db
    .select(stateColumns(table))
    .from(table as typeof posts)
    .where(and(eq(table.siteId, site.id), inArray(table.slug, slugs)))

export const cancelledSchedule = z.optional(
  z.iso.datetime().check(z.describe('Publication time of the schedule that this write cancelled, if any')),
)

export const cancelledBy = ({ before, after }: StateChange): { cancelledSchedule?: string } =>
  before.publishAt && !after.publishAt ? { cancelledSchedule: wireTime(before.publishAt) } : {}

/** Set by the console, so that nobody publishes or announces a post with requested changes. */
export type ReviewOptions = { unlessChangesRequested?: boolean }

export type Update = {
  set: PgUpdateSetSource<typeof posts>
  /** Articles to skip. The SQL must not be null, because it is negated. */
  unless: SQL | undefined
  events?: EventMode | undefined
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
