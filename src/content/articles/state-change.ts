/** The state of an article before a write and after it, from which the answer is made. */
import { and, eq, inArray } from 'drizzle-orm'
import * as z from 'zod/mini'
import { wireTime } from '../../core/time.ts'
import type { Database } from '../../db/client.ts'
import type { posts } from '../../db/schema.ts'
import type { ArticleTable } from './kind.ts'

/** The small columns that writes answer with. Guides lack the columns of `ofPost`. */
export const stateColumns = (table: ArticleTable) => {
  const { id, slug, status, publishedAt, updatedAt, ...others } = table as PostTable
  const { publishAt, scheduledBy, reviewStatus, changeRequest, qualityBand, readyAt } = others
  const ofPost = { publishAt, scheduledBy, reviewStatus, changeRequest, qualityBand, readyAt }
  const shared = { id, slug, status, publishedAt, updatedAt }
  return (publishAt ? { ...shared, ...ofPost } : shared) as typeof shared & typeof ofPost
}

type PostTable = typeof posts

export type State = Pick<PostTable['$inferSelect'], keyof ReturnType<typeof stateColumns>>

/** An article before and after a write. They are the same where the write has left it alone. */
export type StateChange = { was: State; is: State }

/** Pairs the rows before a write with those that it returned. */
export function toStateChanges(before: State[], written: State[]): StateChange[] {
  const byId = new Map(written.map((row) => [row.id, row]))
  return before.map((was) => ({ was, is: byId.get(was.id) ?? was }))
}

/** Readers no longer find it where it was public. */
export const isHidden = ({ was, is }: StateChange): boolean =>
  was.status === 'published' && (is.status !== 'published' || is.slug !== was.slug)

/** Reads the states of a site's articles with these slugs. */
export const selectStates = (db: Database, table: ArticleTable, site: { id: string }, slugs: string[]) =>
  db
    .select(stateColumns(table))
    .from(table as typeof posts)
    .where(and(eq(table.siteId, site.id), inArray(table.slug, slugs)))

/** For the answers of writes that may end a schedule. */
export const cancelledSchedule = z.optional(
  z.iso
    .datetime()
    .check(
      z.describe('Only if the write has cancelled a schedule: when the post was to have been published'),
    ),
)

export const cancelledBy = ({ was, is }: StateChange): { cancelledSchedule?: string } =>
  was.publishAt && !is.publishAt ? { cancelledSchedule: wireTime(was.publishAt) } : {}
