/** A post or page of the REST API (https://developer.wordpress.org/rest-api/reference/posts/) as a post. */
import type { ArticleKind } from '../../foundation/article-filters.ts'
import { htmlToText } from '../../foundation/html-text.ts'
import { readDate } from '../convert/values.ts'
import { type Post, titleText } from './article.ts'
import { renderedBodyOf } from './body.ts'
import type { Seo } from './seo.ts'

type Rendered = { rendered?: string; raw?: string; protected?: boolean }
type Embedded = {
  author?: { name?: string }[]
  'wp:term'?: { taxonomy?: string; name?: string }[][]
  'wp:featuredmedia'?: { source_url?: string }[]
}

/** What is read of it; the fields in the last lines are those of plugins. */
export type RestPost = {
  id: number
  slug: string
  link?: string
  status: string
  title?: Rendered
  content?: Rendered
  excerpt?: Rendered
  password?: string
  date_gmt?: string | null
  modified_gmt?: string | null
  featured_media?: number
  parent?: number
  sticky?: boolean
  format?: string
  meta?: Record<string, unknown> | unknown[]
  _embedded?: Embedded
  lang?: string
  translations?: Record<string, number>
  yoast_head_json?: Record<string, unknown>
}

/** What the source knows of it from elsewhere. */
export type Placing = {
  kind: ArticleKind
  slug: string
  language: string | undefined
  sourceSlug: string | undefined
  moved: { wanted: string; rival: number } | undefined
  oldAddresses: string[]
}

/** As in `post 12 (Hello)`. */
export function restPostName({ id, title, slug }: RestPost, kind: ArticleKind): string {
  const known = titleText(title?.raw ?? title?.rendered ?? '') || slug
  const short = [...known].slice(0, 60).join('')
  return `${kind === 'posts' ? 'post' : 'page'} ${id}${short && ` (${short}${short === known ? '' : '…'})`}`
}

/** The post. Throws an Error with a one-line reason when its body cannot be had. */
export function postOfRest(rest: RestPost, { moved, ...placing }: Placing): Post {
  const losses: Post['losses'] = []
  const lose = (field: string, reason: string) => losses.push({ field, reason })
  const hasPassword = Boolean(rest.password) || rest.content?.protected === true
  const content = rest.content?.rendered ?? ''
  if (hasPassword && content === '') {
    throw new Error(
      'it has a password: WORDPRESS_USER and WORDPRESS_PASSWORD, of someone who may edit it, open it',
    )
  }
  const body = renderedBodyOf(content)
  const { author, 'wp:term': terms = [], 'wp:featuredmedia': media } = rest._embedded ?? {}
  const named = (taxonomy: string) =>
    terms.flat().flatMap((term) => (term.taxonomy === taxonomy && term.name ? [titleText(term.name)] : []))
  const isDated = rest.status !== 'draft' && rest.status !== 'pending'

  if (moved)
    lose('slug', `${moved.wanted} is taken by the one with the id ${moved.rival}: it is ${placing.slug}`)
  if (rest._embedded && !author?.[0]?.name)
    lose('schemaBundle.article.author', 'WordPress does not show its name')
  if (rest.featured_media && !media?.[0]?.source_url) {
    lose('schemaBundle.article.image', `WordPress does not show the featured image, ${rest.featured_media}`)
  }
  if (rest.sticky) lose('sticky', 'no post stays on top')
  if (rest.parent) lose('parent', 'no guide is below another')
  if (rest.format && rest.format !== 'standard') lose('format', `there are no post formats: ${rest.format}`)
  for (const [taxonomy, own] of Map.groupBy(terms.flat(), (term) => term.taxonomy ?? '')) {
    if (['', 'category', 'post_tag', 'post_format'].includes(taxonomy)) continue
    lose(taxonomy, `a taxonomy of a plugin or theme: ${own.map(({ name }) => name).join(', ')}`)
  }
  for (const [key, value] of Object.entries(Array.isArray(rest.meta) ? {} : (rest.meta ?? {}))) {
    if (!isEmpty(value)) lose(`meta.${key}`, 'a custom field')
  }
  return {
    file: restPostName(rest, placing.kind),
    ...placing,
    title: rest.title?.raw ?? rest.title?.rendered ?? '',
    excerpt: excerptOf(rest.excerpt, body.html),
    body,
    status: rest.status,
    hasPassword,
    publishedAt: isDated ? inUtc(rest.date_gmt) : undefined,
    modifiedAt: inUtc(rest.modified_gmt),
    author: titleText(author?.[0]?.name ?? '') || undefined,
    categories: named('category'),
    tags: named('post_tag'),
    image: media?.[0]?.source_url,
    link: rest.link,
    losses,
  }
}

/** What Yoast SEO adds to the answers; Rank Math adds nothing. */
export function seoOfRest({ yoast_head_json: head = {}, link }: RestPost): Seo {
  const text = (name: string) => (typeof head[name] === 'string' && head[name]) || undefined
  const isHidden = (head.robots as { index?: unknown } | undefined)?.index === 'noindex'
  const [image] = Array.isArray(head.og_image) ? (head.og_image as { url?: string }[]) : []
  return {
    ...(text('description') && { metaDescription: text('description') }),
    ...(text('og_title') && { ogTitle: text('og_title') }),
    ...(text('og_description') && { ogDescription: text('og_description') }),
    ...(text('canonical') && text('canonical') !== link && { canonical: text('canonical') }),
    ...(image?.url && { image: image.url }),
    losses: isHidden
      ? [{ field: 'noindex', reason: 'search engines were told to leave it out, and no longer are' }]
      : [],
  }
}

/** Without one of its author's, WordPress gives the first words of the body. */
function excerptOf(excerpt: Rendered | undefined, bodyHtml: string): string {
  if (excerpt?.raw !== undefined) return excerpt.raw
  const { text } = htmlToText(excerpt?.rendered ?? '')
  const isMade = /\[(?:…|\.\.\.)\]$/.test(text) || htmlToText(bodyHtml).text.startsWith(text)
  return isMade ? '' : (excerpt?.rendered ?? '')
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
