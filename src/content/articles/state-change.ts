import { and, eq, inArray } from 'drizzle-orm'
import * as z from 'zod/mini'
import { wireTime } from '../../core/time.ts'
import type { Database } from '../../db/client.ts'
import type { posts } from '../../db/schema.ts'
import type { ArticleTable } from './kind.ts'

/** The columns that responses of writes show. Guides have only `shared`. */
export const stateColumns = (table: ArticleTable) => {
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

export function toStateChanges(found: State[], written: State[]): StateChange[] {
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
