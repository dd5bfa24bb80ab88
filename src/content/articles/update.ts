/** Updates articles where they differ, and reports each as it was and as it is. */
import { and, eq, not, type SQL } from 'drizzle-orm'
import type { PgUpdateSetSource } from 'drizzle-orm/pg-core'
import type { posts } from '../../db/schema.ts'
import type { Context } from '../../foundation/context.ts'
import { type Sending, writeSite } from '../../freshness/write-site.ts'
import type { SiteScope } from '../../sites/sites.ts'
import type { ArticleTable } from './kind.ts'
import { type Change, isTaken, stateColumns, toChanges } from './state.ts'

export type Update = {
  which: SQL
  set: PgUpdateSetSource<typeof posts>
  /** Never null: whether an article stays as it is. */
  unless: SQL
  events?: Sending | undefined
}

/** @returns the articles that there are, and how many events were not sent */
export async function updateArticles(
  ctx: Context,
  table: ArticleTable,
  site: SiteScope,
  { which, set, unless, events }: Update,
): Promise<{ changes: Change[]; eventsNotSent: number }> {
  const shared = table as typeof posts
  const columns = stateColumns(shared)
  const isHere = and(eq(shared.siteId, site.id), which)
  const { results, eventsNotSent } = await writeSite(
    ctx,
    site.id,
    [
      ctx.db.select(columns).from(shared).where(isHere),
      ctx.db
        .update(shared)
        .set(set)
        .where(and(isHere, not(unless)))
        .returning(columns),
    ],
    { sending: events, takes: ([before, written]) => toChanges(before, written).some(isTaken) },
  )
  return { changes: toChanges(...results), eventsNotSent }
}
