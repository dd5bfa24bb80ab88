/** What an editor asks of the writer of a post. Only operators see the note. */
import { type SQL, sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import { type ChangeRequest, posts, reviewStatuses } from '../../db/schema.ts'
import type { Context } from '../../foundation/context.ts'
import { AppError } from '../../foundation/errors.ts'
import { wireTime } from '../../foundation/time.ts'
import { wireShape } from '../../foundation/wire-shape.ts'
import { writeSite } from '../../freshness/site-versions.ts'
import type { SiteScope } from '../../sites/sites.ts'
import { eventsOf, eventsOfRow, lightColumns, type RowEvents, sendEvents } from '../articles/events.ts'
import { slugOf } from '../articles/kind.ts'
import { cancelledSchedule } from '../articles/put.ts'
import { ChangeRequest as ChangeRequestShape } from './fields.ts'
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
  return update(
    ctx,
    site,
    slug,
    sql`change_request = ${request}, review_status = 'changes_requested', publish_at = null`,
    sql`(${isThere}) is not true`,
  )
}

/** Takes the request back, or says that what it asked for is done. Without one it does nothing. @throws AppError post_not_found */
export function resolveChanges(ctx: Context, site: SiteScope, slug: string): Promise<Review> {
  const changes = sql`change_request = null,
    review_status = case when review_status = 'changes_requested' then 'pending' else review_status end`
  return update(ctx, site, slug, changes, POST.changesRequested!)
}

type Row = {
  id: string
  slug: string
  review_status: Review['reviewStatus']
  change_request: ChangeRequest | null
  updated_at: string
  cancelled: string | null
  events: RowEvents
}

async function update(
  ctx: Context,
  site: SiteScope,
  written: string,
  changes: SQL,
  condition: SQL,
): Promise<Review> {
  const here = sql`site_id = ${site.id} and slug = ${slugOf(POST, written)}`
  const columnsOf = (row: SQL) =>
    sql`${row}.id, ${row}.slug, ${row}.review_status, ${row}.change_request, ${row}.updated_at`
  const [was, is] = [sql`was`, sql`changed`]
  const statement = sql`
    with changed as (
      update ${posts} set ${changes} where ${here} and ${condition} returning ${lightColumns(POST)}
    )${eventsOf(POST, is)}
    select ${columnsOf(is)}, ${POST.schedule!.cancelled(was, is)} as cancelled,
      ${eventsOfRow(POST, sql`changed.id`)} as events
    from changed join ${posts} was on was.id = changed.id
    union all
    select ${columnsOf(sql`posts`)}, null, null
    from ${posts} where ${here} and id not in (select id from changed)`
  const [{ rows }] = await writeSite(ctx, site.id, [ctx.db.execute(statement)])
  const [row] = rows as Row[]
  if (!row) throw new AppError('post_not_found')
  await sendEvents(ctx, site, [row])
  return {
    slug: row.slug,
    id: row.id,
    reviewStatus: row.review_status,
    changeRequest: row.change_request,
    updatedAt: wireTime(new Date(row.updated_at)),
    ...(row.cancelled !== null && { cancelledSchedule: row.cancelled }),
  }
}
