/** Marking drafts ready. */
import { sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import { posts } from '../../db/schema.ts'
import type { Context } from '../../foundation/context.ts'
import { AppError } from '../../foundation/errors.ts'
import { wireShape } from '../../foundation/wire-shape.ts'
import { writeSite } from '../../freshness/write-site.ts'
import type { SiteScope } from '../../sites/sites.ts'
import { slugOf } from '../articles/kind.ts'
import { CHANGES_REQUESTED } from './fields.ts'
import { POST } from './post.ts'

export const Readiness = /* @__PURE__ */ wireShape(() =>
  z
    .object({
      slug: z.string(),
      id: z.uuid(),
      updatedAt: z.iso.datetime(),
      alreadyReady: z.boolean(),
      eventId: z
        .nullable(z.uuid())
        .check(z.describe('The event that was queued; null when nothing changed or no webhook is set')),
    })
    .register(z.globalRegistry, { id: 'Readiness' }),
)

/**
 * Marks a draft ready, as `markPostsReady` does.
 *
 * @throws AppError post_not_found; not_a_draft; draft_not_quality_checked; changes_requested
 */
export async function markPostReady(
  ctx: Context,
  site: SiteScope,
  written: string,
  options: ReadinessOptions = {},
): Promise<z.infer<typeof Readiness>> {
  const [post] = await markPostsReady(ctx, site, [slugOf(POST, written)], options)
  if (!post) throw new AppError('post_not_found')
  if ('refusal' in post) throw new AppError(post.refusal)
  return post
}

type RefusedPost = {
  slug: string
  refusal: 'not_a_draft' | 'draft_not_quality_checked' | 'changes_requested'
}

/** `unlessChangesRequested`: marks nothing ready of which changes are requested. */
export type ReadinessOptions = { unlessChangesRequested?: boolean }

/**
 * Marks up to 100 drafts ready, which makes an `article.ready` of each. For drafts that are ready already it does nothing.
 *
 * @returns those that there are, with the reason for each that is not ready now
 */
export async function markPostsReady(
  ctx: Context,
  site: SiteScope,
  slugs: string[],
  { unlessChangesRequested = false }: ReadinessOptions = {},
): Promise<(z.infer<typeof Readiness> | RefusedPost)[]> {
  const refused = unlessChangesRequested ? CHANGES_REQUESTED : sql`false`
  const named = sql`site_id = ${site.id} and slug in ${slugs}`
  const statement = sql`
    with changed as (
      update ${posts} set ready_at = now()
      where ${named} and status = 'draft' and quality_band is not null and ready_at is null and not ${refused}
      returning slug, id, updated_at
    )
    select slug, id, updated_at, false as already, null as refusal
    from changed
    union all
    select slug, id, updated_at, true, case
        when status <> 'draft' then 'not_a_draft'
        when quality_band is null then 'draft_not_quality_checked'
        when ready_at is null and ${refused} then 'changes_requested'
      end
    from ${posts} where ${named} and id not in (select id from changed)`
  const { results, events } = await writeSite(ctx, site.id, [ctx.db.execute(statement)])
  return (results[0].rows as ReadyRow[]).map(({ slug, id, updated_at, already, refusal }) =>
    refusal
      ? { slug, refusal }
      : {
          slug,
          id,
          updatedAt: new Date(updated_at).toISOString(),
          alreadyReady: already,
          eventId:
            events.find(({ event, resourceId }) => event === 'article.ready' && resourceId === id)?.id ??
            null,
        },
  )
}

type ReadyRow = {
  slug: string
  id: string
  updated_at: string
  already: boolean
  refusal: RefusedPost['refusal'] | null
}
