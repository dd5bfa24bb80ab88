/** Changes that an editor requests from the writer. Only operators see the note. */
import { not, sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import type { Context } from '../../context.ts'
import { wireTime } from '../../core/time.ts'
import { responseSchema } from '../../core/zod.ts'
import { posts, reviewStatuses } from '../../db/schema.ts'
import type { SiteScope } from '../../db/site-scope.ts'
import { cancelledBy, cancelledSchedule, type Update, updateArticle } from '../articles/update.ts'
import { CHANGES_REQUESTED, ChangeRequest as ChangeRequestShape } from './fields.ts'
import { POST } from './post.ts'

export const MAX_NOTE_LENGTH = 2_000

export const ChangeRequestInput = z.strictObject({
  note: z.string().check(
    z.maxLength(MAX_NOTE_LENGTH),
    z.refine((note) => note.trim() !== '', 'must not be blank'),
  ),
})

export const Review = /* @__PURE__ */ responseSchema(() =>
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

/** Replaces an earlier request and ends the schedule. The same note without an edit changes nothing. @throws AppError post_not_found */
export function requestChanges(
  ctx: Context,
  site: SiteScope,
  slug: string,
  { note }: z.infer<typeof ChangeRequestInput>,
): Promise<Review> {
  const request = sql`jsonb_build_object('note', ${note}::text, 'requestedAt', wire_time(now()),
    'requestedBy', ${ctx.actor?.name ?? null}::text, 'changedAt', null)`
  const isThere = sql`(${posts.changeRequest} ->> 'note' = ${note} and ${posts.changeRequest} ->> 'changedAt' is null) is true`
  const set = { changeRequest: request, reviewStatus: 'changes_requested', publishAt: null } as const
  return review(ctx, site, slug, { set, unless: isThere })
}

/** Does nothing without a request. @throws AppError post_not_found */
export function resolveChanges(ctx: Context, site: SiteScope, slug: string): Promise<Review> {
  const { reviewStatus } = posts
  const set = {
    changeRequest: null,
    reviewStatus: sql`case when ${reviewStatus} = 'changes_requested' then 'pending' else ${reviewStatus} end`,
  }
  return review(ctx, site, slug, { set, unless: not(CHANGES_REQUESTED) })
}

async function review(ctx: Context, site: SiteScope, slugText: string, update: Update): Promise<Review> {
  const { before, after } = await updateArticle(ctx, POST, site, slugText, update)
  const { slug, id, reviewStatus, changeRequest, updatedAt } = after
  return {
    slug,
    id,
    reviewStatus,
    changeRequest,
    updatedAt: wireTime(updatedAt),
    ...cancelledBy({ before, after }),
  }
}
