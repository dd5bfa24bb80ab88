import { eq, sql } from 'drizzle-orm'
import type { Context } from '../../context.ts'
import { AppError } from '../../core/errors.ts'
import { contentVersionOf } from '../../db/content-version.ts'
import { posts, sites } from '../../db/schema.ts'
import type { ContentScope } from '../../db/site-scope.ts'
import { listArticles } from '../articles/read.ts'
import { postUrl, siteUrl } from '../model/urls.ts'
import { POST, type Post } from '../posts/post.ts'
import { absoluteHtml, encodedUrl } from './absolute-html.ts'

const MAX_POSTS = 50
/** In UTF-16 units of at most three bytes, so that a feed stays below 10 MiB. */
const MAX_LENGTH = 3 * 1024 * 1024
const FIELDS = ['id', 'slug', 'updatedAt', 'title', 'excerpt', 'publishedAt', 'language', 'metadata']

/** All URLs are absolute. `contentHtml` is null in feeds of excerpts and for a post that is too large. */
export type FeedPost = Pick<Post, 'title' | 'excerpt' | 'publishedAt' | 'language'> & {
  /** Never changes, unlike the slug. */
  id: string
  url: string
  contentHtml: string | null
  modifiedAt: string
  authors: { name: string; url: string | null }[]
  image: string | null
  topics: string[]
}

export type Feed = { title: string; homeUrl: string; language: string; domain: string; posts: FeedPost[] }

type Read = Required<Pick<Post, 'metadata'>> & Post

/** @throws AppError not_found if the site is gone */
export async function readFeed(ctx: Context, site: ContentScope): Promise<Feed> {
  const [settings, read] = await Promise.all([readSettings(ctx, site), readPosts(ctx, site)])
  const bodies = settings.feedContent === 'full' ? await readBodies(ctx, site, read) : new Map()
  return {
    title: settings.name,
    homeUrl: siteUrl(site),
    language: site.defaultLanguage,
    domain: site.domain,
    posts: read.map((post) => toFeedPost(site, post, bodies.get(post.id) ?? null)),
  }
}

/** If a post does not fit, it has its excerpt instead of its text; if that does not fit either, the feed ends. */
export function writeUntilFull(posts: FeedPost[], write: (post: FeedPost) => string): string[] {
  const entries: string[] = []
  let room = MAX_LENGTH
  for (const post of posts) {
    const whole = write(post)
    const entry = whole.length > room ? write({ ...post, contentHtml: null }) : whole
    if (entry.length > room) break
    room -= entry.length
    entries.push(entry)
  }
  return entries
}

async function readSettings(ctx: Context, site: ContentScope) {
  const { name, feedContent, publishedVersion } = sites
  const [row] = await ctx.db
    .select({ name, feedContent, publishedVersion })
    .from(sites)
    .where(eq(sites.id, site.id))
  ctx.noteVersionRead(row?.publishedVersion)
  if (!row) throw new AppError('not_found')
  return row
}

async function readPosts(ctx: Context, site: ContentScope): Promise<Read[]> {
  const page = { sort: 'publishedAt', page: 1, pageSize: MAX_POSTS } as const
  const asked = { fields: FIELDS, include: ['metadata'] }
  const { items, following } = await listArticles(ctx, POST, site, 'published', { ...page, ...asked })
  for await (const item of following ?? []) items.push(item)
  return items.map((item) => JSON.parse(item))
}

/** By id: the newest that fit in a feed together, without those that do not fit alone. */
async function readBodies(ctx: Context, site: ContentScope, read: Read[]): Promise<Map<string, string>> {
  if (read.length === 0) return new Map()
  const { rows } = await ctx.db.execute(sql`
    select id, content_html, content_version from (
      select p.id, p.content_html, sum(p.wire_bytes) over (order by p.published_at desc nulls last, p.id) as bytes,
        ${contentVersionOf(site.id, 'published')} as content_version
      from ${posts} p
      where p.site_id = ${site.id} and p.status = 'published' and p.wire_bytes <= ${MAX_LENGTH}
        and p.id in ${read.map(({ id }) => id)}
    ) b where bytes <= ${MAX_LENGTH}`)
  ctx.noteVersionRead(rows[0]?.content_version)
  return new Map(rows.map((row) => [String(row.id), String(row.content_html)]))
}

function toFeedPost(site: ContentScope, post: Read, contentHtml: string | null): FeedPost {
  const { id, title, excerpt, publishedAt, language, updatedAt, metadata } = post
  const { authors, image, categories, tags, modifiedAt } = metadata!
  const url = postUrl(site, post)
  const ofSite = (address: string | null | undefined) => (address ? encodedUrl(address, siteUrl(site)) : null)
  return {
    id: `urn:uuid:${id}`,
    url,
    title,
    excerpt,
    publishedAt,
    language,
    contentHtml: contentHtml === null ? null : absoluteHtml(contentHtml, url),
    modifiedAt: modifiedAt ?? updatedAt!,
    authors: authors.map(({ name, url }) => ({ name, url: ofSite(url) })),
    image: ofSite(image?.url),
    topics: [...new Set([...categories, ...tags])],
  }
}
