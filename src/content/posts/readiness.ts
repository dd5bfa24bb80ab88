import { inArray, isNotNull, isNull, ne, or, sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import type { Context } from '../../context.ts'
import { AppError } from '../../core/errors.ts'
import { wireTime } from '../../core/time.ts'
import { responseSchema } from '../../core/zod.ts'
import { posts } from '../../db/schema.ts'
import type { SiteScope } from '../../db/site-scope.ts'
import { requireSlug } from '../articles/kind.ts'
import { type ReviewOptions, updateArticles } from '../articles/update.ts'
import { CHANGES_REQUESTED } from './fields.ts'
import { POST } from './post.ts'

export const Readiness = /* @__PURE__ */ responseSchema(() =>
  z
    .object({
      slug: z.string(),
      id: z.uuid(),
      updatedAt: z.iso.datetime(),
      alreadyReady: z.boolean(),
      eventId: z
        .nullable(z.uuid())
        .check(z.describe('The queued event; null if nothing changed or no webhook is set')),
    })
    .register(z.globalRegistry, { id: 'Readiness' }),
)

/** @throws AppError post_not_found; not_a_draft; draft_not_quality_checked; changes_requested */
export async function markPostReady(
  ctx: Context,
  site: SiteScope,
  slugText: string,
  options: ReviewOptions = {},
): Promise<z.infer<typeof Readiness>> {
  const [post] = await markPostsReady(ctx, site, [requireSlug(POST, slugText)], options)
  if (!post) throw new AppError('post_not_found')
  if ('refusal' in post) throw new AppError(post.refusal)
  return post
}

type RefusedPost = {
  slug: string
  refusal: 'not_a_draft' | 'draft_not_quality_checked' | 'changes_requested'
}

/** Sends `article.ready` for each draft, and skips ready ones. Returns the posts that exist. */
export async function markPostsReady(
  ctx: Context,
  site: SiteScope,
  slugs: string[],
  { unlessChangesRequested = false }: ReviewOptions = {},
): Promise<(z.infer<typeof Readiness> | RefusedPost)[]> {
  const { changes, events } = await updateArticles(ctx, posts, site, inArray(posts.slug, slugs), {
    set: { readyAt: sql`now()` },
    unless: or(
      ne(posts.status, 'draft'),
      isNull(posts.qualityBand),
      isNotNull(posts.readyAt),
      unlessChangesRequested ? CHANGES_REQUESTED : undefined,
    ),
  })
  return changes.map(({ before, after }) => {
    const { slug, id, updatedAt } = after
    if (before.status !== 'draft') return { slug, refusal: 'not_a_draft' }
    if (before.qualityBand === null) return { slug, refusal: 'draft_not_quality_checked' }
    if (after.readyAt === null) return { slug, refusal: 'changes_requested' }
    const ready = events.find(({ event, resourceId }) => event === 'article.ready' && resourceId === id)
    return {
      slug,
      id,
      updatedAt: wireTime(updatedAt),
      alreadyReady: before.readyAt !== null,
      eventId: ready?.id ?? null,
    }
  })
}
