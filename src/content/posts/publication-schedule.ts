/** Schedules a draft; posts/due.ts publishes it. */
import { and, eq, isNull, ne, or, sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import type { Context } from '../../context.ts'
import { requireRole } from '../../core/actor.ts'
import { AppError } from '../../core/errors.ts'
import { expiryWithin, wireTime } from '../../core/time.ts'
import { responseSchema } from '../../core/zod.ts'
import { posts } from '../../db/schema.ts'
import type { SiteScope } from '../../db/site-scope.ts'
import { markDue } from '../../freshness/marks.ts'
import { requireSlug } from '../articles/kind.ts'
import { type ReviewOptions, type State, selectStates, updateArticle } from '../articles/update.ts'
import { CHANGES_REQUESTED } from './fields.ts'
import { POST } from './post.ts'

export const MAX_SCHEDULE_DAYS = 366

export const PublicationScheduleInput = z.strictObject({ publishAt: expiryWithin(MAX_SCHEDULE_DAYS) })

export const PublicationSchedule = /* @__PURE__ */ responseSchema(() =>
  z
    .object({
      slug: z.string(),
      id: z.uuid(),
      publishAt: z
        .nullable(z.iso.datetime())
        .check(z.describe('Scheduled publication time; null if not scheduled')),
      scheduledBy: z.nullable(z.string()).check(z.describe('Name of the person who scheduled it')),
      updatedAt: z.iso.datetime(),
    })
    .register(z.globalRegistry, { id: 'PublicationSchedule' }),
)

export type PublicationSchedule = z.infer<typeof PublicationSchedule>

/**
 * Schedules in the actor's name. Repeating the same time changes nothing.
 * @throws AppError post_not_found; published_already; changes_requested
 */
export async function schedulePost(
  ctx: Context,
  site: SiteScope,
  slugText: string,
  { publishAt }: z.infer<typeof PublicationScheduleInput>,
  { unlessChangesRequested = false }: ReviewOptions = {},
): Promise<PublicationSchedule> {
  requireRole(ctx, 'editor')
  const { id = null, name = null } = ctx.actor ?? {}
  // Before the write: a needless mark costs one query, a missing one a delay of up to an hour.
  await markDue(ctx, [{ siteId: site.id, at: publishAt.getTime() }])
  const { before, after } = await updateArticle(ctx, POST, site, slugText, {
    set: { publishAt, scheduledBy: { id, name } },
    unless: or(
      ne(posts.status, 'draft'),
      sql`${posts.publishAt} is not distinct from ${publishAt.toISOString()}::timestamptz`,
      unlessChangesRequested ? CHANGES_REQUESTED : undefined,
    ),
  })
  if (before.status === 'published') throw new AppError('published_already')
  if (after.publishAt?.getTime() !== publishAt.getTime()) throw new AppError('changes_requested')
  return toSchedule(after)
}

/** Does nothing without a schedule. @throws AppError post_not_found */
export async function cancelSchedule(
  ctx: Context,
  site: SiteScope,
  slugText: string,
): Promise<PublicationSchedule> {
  const update = { set: { publishAt: null }, unless: isNull(posts.publishAt) }
  return toSchedule((await updateArticle(ctx, POST, site, slugText, update)).after)
}

/** @throws AppError post_not_found */
export async function getSchedule(
  { db }: Pick<Context, 'db'>,
  site: { id: string },
  slugText: string,
): Promise<PublicationSchedule> {
  const [row] = await selectStates(db, posts, site, [requireSlug(POST, slugText)])
  if (!row) throw new AppError('post_not_found')
  return toSchedule(row)
}

/** For a page about a refused schedule. Null if the post is gone. */
export async function findTitle({ db }: Pick<Context, 'db'>, site: { id: string }, slugText: string) {
  const isPost = and(eq(posts.siteId, site.id), eq(posts.slug, requireSlug(POST, slugText)))
  const [row] = await db.select({ title: posts.title }).from(posts).where(isPost)
  return row?.title ?? null
}

const toSchedule = ({ slug, id, publishAt, scheduledBy, updatedAt }: State): PublicationSchedule => ({
  slug,
  id,
  publishAt: wireTime(publishAt),
  scheduledBy: scheduledBy?.name ?? null,
  updatedAt: wireTime(updatedAt),
})
