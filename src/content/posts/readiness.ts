/** Marking drafts ready. */
import { and, eq, inArray, isNotNull, isNull, not, sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import { posts } from '../../db/schema.ts'
import type { Context } from '../../foundation/context.ts'
import { AppError } from '../../foundation/errors.ts'
import { wireTime } from '../../foundation/time.ts'
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
  const { slug, id, status, qualityBand, readyAt, updatedAt } = posts
  const columns = { slug, id, status, qualityBand, readyAt, updatedAt }
  const isNamed = and(eq(posts.siteId, site.id), inArray(slug, slugs))
  const mayBeReady = and(
    eq(status, 'draft'),
    isNotNull(qualityBand),
    isNull(readyAt),
    unlessChangesRequested ? not(CHANGES_REQUESTED) : undefined,
  )
  const { results, events } = await writeSite(ctx, site.id, [
    ctx.db.select(columns).from(posts).where(isNamed),
    ctx.db.update(posts).set({ readyAt: sql`now()` }).where(and(isNamed, mayBeReady)).returning(columns),
  ])
  const [before, marked] = results
  const markedById = new Map(marked.map((post) => [post.id, post]))
  return before.map((was) => {
    const is = markedById.get(was.id)
    if (!is && was.status !== 'draft') return { slug: was.slug, refusal: 'not_a_draft' }
    if (!is && was.qualityBand === null) return { slug: was.slug, refusal: 'draft_not_quality_checked' }
    if (!is && was.readyAt === null) return { slug: was.slug, refusal: 'changes_requested' }
    const ready = events.find(({ event, resourceId }) => event === 'article.ready' && resourceId === was.id)
    return {
      slug: was.slug,
      id: was.id,
      updatedAt: wireTime((is ?? was).updatedAt),
      alreadyReady: !is,
      eventId: ready?.id ?? null,
    }
  })
}
