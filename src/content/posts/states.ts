/** State changes of posts: publish, unpublish, rename, mark ready, delete. */
import { and, eq, sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import { posts } from '../../db/schema.ts'
import type { Context } from '../../foundation/context.ts'
import { AppError } from '../../foundation/errors.ts'
import { parseSlug } from '../../foundation/slug.ts'
import { wireShape } from '../../foundation/wire-shape.ts'
import { writeSite } from '../../freshness/site-versions.ts'
import type { SiteScope } from '../../sites/sites.ts'
import { enqueueEvents, insertArticleReadyEvents } from '../../webhooks/event.ts'
import { renameArticle, setPublication, setPublications } from '../articles/publication.ts'
import { articleReadyJson } from './article-ready.ts'
import { moveBundleTo } from './schema-bundles.ts'

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

/** What `setPostStatuses` and `markPostsReady` take at once, which is also what a message to the queue takes. */
export const MAX_POSTS_AT_ONCE = 100

/** Publishes or unpublishes a post. Changes nothing if it has that status already. @throws AppError post_not_found */
export async function setPostStatus(
  ctx: Context,
  site: SiteScope,
  written: string,
  status: 'draft' | 'published',
) {
  const slug = parseSlug(written)
  const publication = slug && (await setPublication(ctx, posts, site.id, slug, status))
  if (!publication) throw new AppError('post_not_found')
  return publication
}

/**
 * Publishes or unpublishes up to 100 posts, in one statement.
 *
 * @returns those that there are, and of each whether it had another status
 */
export function setPostStatuses(
  ctx: Context,
  site: SiteScope,
  slugs: string[],
  status: 'draft' | 'published',
) {
  return setPublications(ctx, posts, site.id, slugs, status)
}

/**
 * Gives a post another slug, which the URLs in a derived `schemaBundle` follow.
 *
 * @throws AppError post_not_found; slug_taken
 */
export async function renamePost(ctx: Context, site: SiteScope, written: string, renamed: string) {
  const slug = parseSlug(written)
  const following = sql`, ${moveBundleTo(site, renamed)}`
  const post = slug && (await renameArticle(ctx, posts, site.id, slug, renamed, following))
  if (!post) throw new AppError('post_not_found')
  return post
}

/**
 * Marks a draft ready, as `markPostsReady` does.
 *
 * @throws AppError post_not_found; not_a_draft; draft_not_quality_checked
 */
export async function markPostReady(
  ctx: Context,
  site: SiteScope,
  written: string,
): Promise<z.infer<typeof Readiness>> {
  const slug = parseSlug(written)
  const [post] = slug ? await markPostsReady(ctx, site, [slug]) : []
  if (!post) throw new AppError('post_not_found')
  if ('refusal' in post) throw new AppError(post.refusal)
  return post
}

type RefusedPost = { slug: string; refusal: 'not_a_draft' | 'draft_not_quality_checked' }

/**
 * Marks up to 100 drafts ready, puts an `article.ready` of each into the outbox in the same statement, then sends the
 * queue messages. For drafts that are ready already it does nothing.
 *
 * @returns those that there are, with the reason for each that is not ready now
 */
export async function markPostsReady(
  ctx: Context,
  site: SiteScope,
  slugs: string[],
): Promise<(z.infer<typeof Readiness> | RefusedPost)[]> {
  const named = sql`site_id = ${site.id} and slug in ${slugs}`
  const statement = sql`
    with changed as (
      update ${posts} set ready_at = now()
      where ${named} and status = 'draft' and quality_band is not null and ready_at is null
      returning *
    ),
    event as (${insertArticleReadyEvents(sql`changed`, articleReadyJson(sql`changed`))})
    select c.slug, c.id, c.updated_at, e.id as event_id, false as already, null as refusal
    from changed c left join event e on e.post_id = c.id
    union all
    select slug, id, updated_at, null, true, case
        when status <> 'draft' then 'not_a_draft'
        when quality_band is null then 'draft_not_quality_checked'
      end
    from ${posts} where ${named} and id not in (select id from changed)`
  const [result] = await writeSite(ctx, site.id, [ctx.db.execute(statement)])
  const rows = result.rows as ReadyRow[]
  await enqueueEvents(
    ctx,
    rows.flatMap((row) => row.event_id ?? []),
  )
  return rows.map(({ slug, id, updated_at, event_id, already, refusal }) =>
    refusal
      ? { slug, refusal }
      : { slug, id, updatedAt: new Date(updated_at).toISOString(), alreadyReady: already, eventId: event_id },
  )
}

type ReadyRow = {
  slug: string
  id: string
  updated_at: string
  event_id: string | null
  already: boolean
  refusal: RefusedPost['refusal'] | null
}

/** @throws AppError post_not_found */
export async function deletePost(ctx: Context, site: SiteScope, written: string): Promise<void> {
  const slug = parseSlug(written)
  if (!slug) throw new AppError('post_not_found')
  const [deleted] = await writeSite(ctx, site.id, [
    ctx.db
      .delete(posts)
      .where(and(eq(posts.siteId, site.id), eq(posts.slug, slug)))
      .returning({ id: posts.id }),
  ])
  if (deleted.length === 0) throw new AppError('post_not_found')
}
