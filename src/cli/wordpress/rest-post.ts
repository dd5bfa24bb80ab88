/** Converts a post or page of the REST API (https://developer.wordpress.org/rest-api/reference/posts/). */
import type { ArticleKind } from '../../content/model/article-filters.ts'
import { readDate } from '../import/values.ts'
import { type Post, readable, titleText } from './article.ts'
import { bodyOf, renderedBodyOf } from './body.ts'
import { AUTHORS } from './catalog.ts'
import { isExcerptOf, withoutMoreLink } from './excerpt.ts'
import { FOOTNOTES_KEY } from './footnotes.ts'
import { losing } from './post-loss.ts'
import type { Related } from './related.ts'
import { objectOf, type RestPost, stringOf } from './rest-shape.ts'
import type { Seo } from './seo.ts'

export type Placing = {
  kind: ArticleKind
  slug: string
  language: string | undefined
  sourceSlug: string | undefined
  moved: { wanted: string; rival: number } | undefined
  oldAddresses: string[]
}

/** For example `post 12 (Hello)`. */
export function restPostName({ id, title, slug }: RestPost, kind: ArticleKind): string {
  const known = titleText(title?.raw ?? title?.rendered ?? '') || slug
  const short = [...known].slice(0, 60).join('')
  return `${kind === 'posts' ? 'post' : 'page'} ${id}${short && ` (${short}${short === known ? '' : '…'})`}`
}

/** Prefers the author's text to the rendered page. @throws Error with a one-line reason if neither is available */
export function postOfRest(rest: RestPost, { moved, ...placing }: Placing, related: Related): Post {
  const losses: Post['losses'] = []
  const lose = losing(losses)
  const text = (name: 'title' | 'content', field: string) =>
    readable(rest[name]?.raw ?? rest[name]?.rendered ?? '', field, lose)
  const hasPassword = Boolean(rest.password) || rest.content?.protected === true
  const content = text('content', 'contentHtml')
  if (hasPassword && content === '') {
    throw new Error('it has a password: set WORDPRESS_USER and WORDPRESS_PASSWORD of a user who may edit it')
  }
  const body =
    rest.content?.raw === undefined ? renderedBodyOf(content) : bodyOf(content, related.materialOf(rest))
  const { author, 'wp:featuredmedia': media } = rest._embedded ?? {}
  const image = media?.[0]
  const terms = related.termsOf(rest)
  const named = (taxonomy: string) =>
    (terms.get(taxonomy) ?? []).flatMap((name) => (name === null ? [] : titleText(name)))

  if (moved)
    lose(
      'slug',
      'the slug is taken by another post or guide',
      `${moved.wanted} by the one with the id ${moved.rival}: it is ${placing.slug}`,
    )
  if (rest._embedded && !author?.[0]?.name && related.coAuthorsOf(rest).length === 0)
    lose('authors', 'WordPress does not show its name')
  if (rest.featured_media && !image?.source_url) {
    lose('image', 'the featured image is not in this import', `attachment ${rest.featured_media}`)
  }
  if (rest.sticky) lose('sticky', 'posts cannot be pinned')
  if (rest.parent) lose('parent', 'guides cannot be nested')
  if (rest.format && rest.format !== 'standard') lose('format', 'post formats are not supported', rest.format)
  for (const [taxonomy, names] of terms) {
    const hidden = names.filter((name) => name === null).length
    if (hidden > 0) lose(taxonomy, 'WordPress does not show its name', `of ${hidden}`)
    if ([AUTHORS, 'category', 'post_tag', 'language', 'post_translations'].includes(taxonomy)) continue
    const own = named(taxonomy)
    if (own.length > 0) lose(taxonomy, 'a taxonomy of a plugin or theme', own.join(', '))
  }
  for (const [key, value] of Object.entries(Array.isArray(rest.meta) ? {} : (rest.meta ?? {}))) {
    if (key !== FOOTNOTES_KEY && !isEmpty(value)) lose(`meta.${key}`, 'a custom field')
  }
  return {
    file: restPostName(rest, placing.kind),
    id: rest.id,
    ...placing,
    title: text('title', 'title'),
    excerpt: excerptOf(rest, body.html),
    body,
    status: rest.status,
    hasPassword,
    publishedAt: publishedAtOf(rest),
    modifiedAt: isUnchanged(rest) ? inUtc(rest.date_gmt) : inUtc(rest.modified_gmt),
    authors: authorsOf(author?.[0]?.name, related.coAuthorsOf(rest)),
    categories: named('category'),
    tags: named('post_tag'),
    image: image?.source_url
      ? {
          url: image.source_url,
          alt: image.alt_text ?? '',
          width: image.media_details?.width,
          height: image.media_details?.height,
        }
      : undefined,
    link: rest.link,
    losses,
  }
}

/** From Yoast SEO; Rank Math adds nothing to responses. */
export function seoOfRest({ yoast_head_json, link }: RestPost): Seo {
  const head = objectOf(yoast_head_json) ?? {}
  const text = (name: string) => (typeof head[name] === 'string' && head[name]) || undefined
  const isHidden = objectOf(head.robots)?.index === 'noindex'
  const image = objectOf(Array.isArray(head.og_image) ? head.og_image[0] : undefined)
  const imageUrl = stringOf(image?.url)
  return {
    ...(text('description') && { metaDescription: text('description') }),
    ...(text('og_title') && { ogTitle: text('og_title') }),
    ...(text('og_description') && { ogDescription: text('og_description') }),
    ...(text('canonical') && text('canonical') !== link && { canonical: text('canonical') }),
    ...(imageUrl && { image: imageUrl }),
    losses: isHidden
      ? [{ field: 'noindex', reason: 'it was hidden from search engines, and no longer is' }]
      : [],
  }
}

/** Without an author's excerpt, WordPress shows the first words of the body, often with a link to the rest. */
function excerptOf({ excerpt = {}, link }: RestPost, bodyHtml: string): string {
  const { raw, rendered = '' } = excerpt
  if (raw !== undefined) return raw
  const text = withoutMoreLink(rendered, link)
  return isExcerptOf(text, bodyHtml) ? '' : text
}

function authorsOf(name: string | undefined, coAuthors: string[]): string[] {
  const names = coAuthors.length > 0 ? coAuthors : [name ?? '']
  return names.map(titleText).filter(Boolean)
}

/** A draft without its own date has that of its last change. */
function publishedAtOf(rest: RestPost): string | undefined {
  const isDraft = rest.status === 'draft' || rest.status === 'pending'
  return isDraft && (isUnchanged(rest) || rest.date === undefined) ? undefined : inUtc(rest.date_gmt)
}

/** Compares local times: the UTC ones may differ where WordPress stores only times in the site's zone. */
function isUnchanged({ date, modified }: RestPost): boolean {
  return date !== undefined && date === modified
}

function inUtc(text: string | null | undefined): string | undefined {
  return text ? readDate(text)?.toISOString() : undefined
}

function isEmpty(value: unknown): boolean {
  return (
    value === null ||
    value === '' ||
    value === false ||
    value === 0 ||
    (Array.isArray(value) && value.length === 0)
  )
}
