import { and, asc, desc, eq, ne, or, sql } from 'drizzle-orm'
import type { Context } from '../../context.ts'
import { AppError } from '../../core/errors.ts'
import { posts } from '../../db/schema.ts'
import type { SiteScope } from '../../db/site-scope.ts'
import { type ResourceEntry, selectResourceEntries } from '../../people/audit-log.ts'
import { type ListedEndpoint, selectEndpoints, toEndpoints } from '../../webhooks/endpoint.ts'
import { type PostEvent, selectEventIds, selectPostHistory, toPostHistory } from '../../webhooks/history.ts'
import { apiColumns, articleJson } from '../articles/field-table.ts'
import { requireSlug } from '../articles/kind.ts'
import {
  type Neighbours,
  type NeighboursInput,
  selectNeighbours,
  toNeighbours,
} from '../articles/neighbours.ts'
import { selectRevisionTimes } from '../articles/revisions.ts'
import { CHANGES_REQUESTED, POST_FIELDS } from './fields.ts'
import { POST, type Post } from './post.ts'
import { type PreviewLink, selectPreviewLinks, toPreviewLink } from './preview-links.ts'

const MAX_TRANSLATIONS = 100

type Row = typeof posts.$inferSelect

export type Translation = Pick<Row, 'slug' | 'title' | 'language' | 'status'> & { isSource: boolean }

/** `isCut`: older events exist. `webhooks`: the site's current ones. */
export type InspectedPost = Pick<
  Row,
  'readyAt' | 'publishAt' | 'scheduledBy' | 'changeRequest' | 'createdAt'
> & {
  /** Changes are requested, so the console neither publishes it nor marks it ready. */
  isBlocked: boolean
  post: Post
  translations: Translation[]
  events: PostEvent[]
  links: PreviewLink[]
  entries: ResourceEntry[]
  /** The times of edits whose old values are kept. */
  revisions: Date[]
  isCut: boolean
  webhooks: ListedEndpoint[]
  neighbours: Neighbours
}

/** One database call. @throws AppError post_not_found */
export async function inspectPost(
  ctx: Context,
  site: SiteScope,
  slugText: string,
  list: NeighboursInput,
): Promise<InspectedPost> {
  const slug = requireSlug(POST, slugText)
  const isPost = and(eq(posts.siteId, site.id), eq(posts.slug, slug))
  const self = ctx.db
    .select({ id: posts.id, rootId: sql<string>`coalesce(${posts.sourcePostId}, ${posts.id})`.as('root_id') })
    .from(posts)
    .where(isPost)
    .as('self')
  const postId = sql`(select ${posts.id} from ${posts} where ${isPost})`
  const [[row], translations, history, endpoints, entries, links, neighbours, revisions] = await ctx.db.batch(
    [
      ctx.db
        .select({
          ...apiColumns(POST_FIELDS, null, ['provenance', 'metadata']),
          readyAt: posts.readyAt,
          publishAt: posts.publishAt,
          scheduledBy: posts.scheduledBy,
          changeRequest: posts.changeRequest,
          isBlocked: sql<boolean>`${CHANGES_REQUESTED}`,
          createdAt: posts.createdAt,
        })
        .from(posts)
        .where(isPost),
      ctx.db
        .select({
          slug: posts.slug,
          title: posts.title,
          language: posts.language,
          status: posts.status,
          isSource: sql<boolean>`${posts.sourcePostId} is null`,
        })
        .from(self)
        .innerJoin(posts, or(eq(posts.id, self.rootId), eq(posts.sourcePostId, self.rootId)))
        .where(and(eq(posts.siteId, site.id), ne(posts.id, self.id)))
        .orderBy(desc(sql`${posts.sourcePostId} is null`), asc(posts.language), asc(posts.slug))
        .limit(MAX_TRANSLATIONS),
      selectPostHistory(ctx, site, postId),
      selectEndpoints(ctx, sql`${site.id}`),
      selectResourceEntries(ctx, sql`(${postId} union all ${selectEventIds(ctx, site, postId)})`),
      selectPreviewLinks(ctx, postId),
      ctx.db.execute(selectNeighbours(POST, site, slug, list)),
      selectRevisionTimes(ctx, site, postId),
    ],
  )
  if (!row) throw new AppError('post_not_found')
  const { json, contentHtml, included, ...shown } = row
  return {
    ...shown,
    post: JSON.parse(articleJson({ json, contentHtml, included })) as Post,
    translations,
    ...toPostHistory(history),
    entries,
    links: links.map(toPreviewLink),
    webhooks: toEndpoints(ctx, site, endpoints),
    neighbours: toNeighbours(neighbours.rows),
    revisions: revisions.map(({ at }) => at),
  }
}
