/** What an editor asks of the writer of a post. Only operators see the note. */
import { type SQL, sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import { type ChangeRequest, reviewStatuses } from '../../db/schema.ts'
import type { Context } from '../../foundation/context.ts'
import { wireTime } from '../../foundation/time.ts'
import { wireShape } from '../../foundation/wire-shape.ts'
import type { SiteScope } from '../../sites/sites.ts'
import { cancelledSchedule } from '../articles/put.ts'
import { updateArticle } from '../articles/update.ts'
import { CHANGES_REQUESTED, ChangeRequest as ChangeRequestShape } from './fields.ts'
import { POST } from './post.ts'

export const MAX_NOTE_LENGTH = 2_000

export const ChangeRequestInput = z.strictObject({
  note: z.string().check(
    z.maxLength(MAX_NOTE_LENGTH),
    z.refine((note) => note.trim() !== '', 'must not be blank'),
  ),
})

export const Review = /* @__PURE__ */ wireShape(() =>
  z
    .object({
      slug: z.string(),
      id: z.uuid(),
      reviewStatus: z.nullable(z.enum(reviewStatuses)),
      changeRequest: z.nullable(ChangeRequestShape),
      updatedAt: z.iso.datetime(),
      cancelledSchedule,
    })
    .register(z.globalRegistry, { id: 'Review' }),
)

export type Review = z.infer<typeof Review>

/**
 * Asks the writer for changes, instead of what was asked before, and ends the schedule of the post. For the same note, with
 * no edit since, it does nothing.
 *
 * @throws AppError post_not_found
 */
export function requestChanges(
  ctx: Context,
  site: SiteScope,
  slug: string,
  { note }: z.infer<typeof ChangeRequestInput>,
): Promise<Review> {
  const request = sql`jsonb_build_object('note', ${note}::text, 'requestedAt', wire_time(now()),
    'requestedBy', ${ctx.actor?.name ?? null}::text, 'changedAt', null)`
  const isThere = sql`change_request ->> 'note' = ${note} and change_request ->> 'changedAt' is null`
  const changes = sql`change_request = ${request}, review_status = 'changes_requested', publish_at = null`
  return review(ctx, site, slug, changes, sql`(${isThere}) is true`)
}

/** Takes the request back, or says that what it asked for is done. Without one it does nothing. @throws AppError post_not_found */
export function resolveChanges(ctx: Context, site: SiteScope, slug: string): Promise<Review> {
  const changes = sql`change_request = null,
    review_status = case when review_status = 'changes_requested' then 'pending' else review_status end`
  return review(ctx, site, slug, changes, sql`not ${CHANGES_REQUESTED}`)
}

const COLUMNS = ['id', 'slug', 'review_status', 'change_request', 'updated_at'] as const

type Row = {
  id: string
  slug: string
  review_status: Review['reviewStatus']
  change_request: ChangeRequest | null
  updated_at: string
}

async function review(ctx: Context, site: SiteScope, slug: string, changes: SQL, unchanged: SQL) {
  const update = { changes, unchanged, columns: COLUMNS }
  const { cancelled, ...row } = await updateArticle<Row>(ctx, POST, site, slug, update)
  return {
    slug: row.slug,
    id: row.id,
    reviewStatus: row.review_status,
    changeRequest: row.change_request,
    updatedAt: wireTime(new Date(row.updated_at)),
    ...(cancelled !== null && { cancelledSchedule: cancelled }),
  }
}
