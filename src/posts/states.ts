/** State changes of a post: publish, unpublish, rename, mark ready, delete. */
import { and, eq, type SQL, sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import { renameArticle, setPublication } from '../articles/publication.ts'
import type { Context } from '../context.ts'
import { posts } from '../db/schema.ts'
import { AppError, type ErrorCode } from '../errors.ts'
import { writeSite } from '../site-versions.ts'
import type { SiteScope } from '../sites.ts'
import { SLUG } from '../slug.ts'
import { postPath, siteUrl } from '../urls.ts'
import { enqueueEvent, insertArticleReadyEvents } from '../webhooks/event.ts'
import { wireShape } from '../wire-shape.ts'
import { articleReadyJson } from './article-ready.ts'

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

type Row = Record<string, string | null>

/** Publishes or unpublishes a post. Changes nothing if it has that status already. @throws AppError post_not_found */
export async function setPostStatus(
  ctx: Context,
  site: SiteScope,
  slug: string,
  status: 'draft' | 'published',
) {
  const publication = SLUG.test(slug) ? await setPublication(ctx, posts, site.id, slug, status) : null
  if (!publication) throw new AppError('post_not_found')
  return publication
}

/**
 * Gives a post another slug, which the URLs in a derived `schemaBundle` follow.
 *
 * @throws AppError post_not_found; slug_taken
 */
export async function renamePost(ctx: Context, site: SiteScope, slug: string, renamed: string) {
  const following = moveDerivedBundle(site, renamed)
  const post = SLUG.test(slug) ? await renameArticle(ctx, posts, site.id, slug, renamed, following) : null
  if (!post) throw new AppError('post_not_found')
  return post
}

/** The row trigger sets again what the caller gave of the article. */
function moveDerivedBundle(site: SiteScope, slug: string): SQL {
  const path = postPath(site, { slug, language: null })
  const url = sql`(case when coalesce(language_key, '') in ('', ${site.defaultLanguage.toLowerCase()})
    then ${siteUrl(site)}::text else ${siteUrl(site)} || language || '/' end || ${path.slice(1)})`
  return sql`, schema_bundle = case when schema_bundle_derived then jsonb_set(
    schema_bundle || jsonb_build_object('article', schema_bundle -> 'article' || jsonb_build_object(
      'url', ${url}, 'mainEntityOfPage', jsonb_build_object('@type', 'WebPage', '@id', ${url}))),
    '{breadcrumb,itemListElement,1,item}', to_jsonb(${url})
  ) else schema_bundle end`
}

/**
 * Marks a draft ready, puts `article.ready` into the outbox in the same statement, then sends the queue message. For a
 * draft that is ready already it does nothing.
 *
 * @throws AppError post_not_found; not_a_draft; draft_not_quality_checked
 */
export async function markPostReady(
  ctx: Context,
  site: SiteScope,
  slug: string,
): Promise<z.infer<typeof Readiness>> {
  if (!SLUG.test(slug)) throw new AppError('post_not_found')
  const statement = sql`
    with changed as (
      update ${posts} set ready_at = now()
      where site_id = ${site.id} and slug = ${slug}
        and status = 'draft' and quality_band is not null and ready_at is null
      returning *
    ),
    event as (${insertArticleReadyEvents(sql`changed`, articleReadyJson(sql`changed`))})
    select c.id, c.updated_at, e.id as event_id, null as already, null as refusal from changed c left join event e on true
    union all
    select id, updated_at, null, 'already', case
        when status <> 'draft' then 'not_a_draft'
        when quality_band is null then 'draft_not_quality_checked'
      end
    from ${posts} where site_id = ${site.id} and slug = ${slug} and not exists (select from changed)`
  const [result] = await writeSite(ctx, site.id, [ctx.db.execute(statement)])
  const row = result.rows[0] as (Row & { refusal: ErrorCode | null }) | undefined
  if (!row) throw new AppError('post_not_found')
  if (row.refusal) throw new AppError(row.refusal)
  if (row.event_id) await enqueueEvent(ctx, row.event_id)
  return {
    slug,
    id: row.id!,
    updatedAt: new Date(row.updated_at!).toISOString(),
    alreadyReady: row.already === 'already',
    eventId: row.event_id ?? null,
  }
}

/** @throws AppError post_not_found */
export async function deletePost(ctx: Context, site: SiteScope, slug: string): Promise<void> {
  if (!SLUG.test(slug)) throw new AppError('post_not_found')
  const [deleted] = await writeSite(ctx, site.id, [
    ctx.db
      .delete(posts)
      .where(and(eq(posts.siteId, site.id), eq(posts.slug, slug)))
      .returning({ id: posts.id }),
  ])
  if (deleted.length === 0) throw new AppError('post_not_found')
}
