import type { ArticleKind } from '../../content/model/article-filters.ts'
import { hostOf } from '../../convert/markup.ts'
import { htmlToText } from '../../html/text.ts'
import type { Article, Entry, Origins } from '../../transfer/source.ts'
import type { Lose, Reason } from '../import/losses.ts'
import { metadataFields } from '../import/metadata.ts'
import { DRAFT, type HoldReason, type StatusFlags, statusOf } from '../import/status.ts'
import type { Body } from './body.ts'
import { losing, type PostLoss } from './post-loss.ts'
import type { Seo } from './seo.ts'

const MAX_TITLE_LENGTH = 500
const MAX_EXCERPT_LENGTH = 2_000
const TITLE_FROM_BODY_LENGTH = 60
const CONTROLS = /(?![\t\n\r])\p{Cc}/gu
const TOO_LONG = 'too long for its field: the rest is cut off'

type FeaturedImage = {
  url: string
  alt: string
  width?: number | undefined
  height?: number | undefined
}

export type Post = {
  file: string
  /** 0 if unknown. */
  id: number
  kind: ArticleKind
  slug: string
  language: string | undefined
  sourceSlug: string | undefined
  /** HTML. */
  title: string
  /** HTML. */
  excerpt: string
  body: Body
  /** WordPress's own, for example `publish` or `future`. */
  status: string
  hasPassword: boolean
  /** RFC 3339, as is `modifiedAt`. */
  publishedAt: string | undefined
  modifiedAt: string | undefined
  authors: string[]
  categories: string[]
  tags: string[]
  image: FeaturedImage | undefined
  link: string | undefined
  oldAddresses: string[]
  losses: PostLoss[]
}

export function entriesOf(
  post: Post,
  seo: Seo,
  { origins, ...flags }: StatusFlags & { origins: Origins | undefined },
): Entry[] {
  const losses = [...post.losses, ...seo.losses]
  const lose = losing(losses)
  for (const { reason, detail } of post.body.losses) lose('contentHtml', reason, detail)
  const title = titleOf(post, lose)
  const excerpt = excerptOf(post, lose)
  const { status, because } = statusOf(post.status === 'draft' ? 'draft' : 'published', heldBy(post), flags)
  if (because) lose('status', because.reason, because.detail)
  if (seo.image && post.image && seo.image !== post.image.url) {
    lose('SEO image', 'the featured image is used: another one for search engines is left out', seo.image)
  }
  const { canonical, metaDescription, ogTitle, ogDescription } = seo
  const isElsewhere = canonical !== undefined && canonical !== post.link
  if (isElsewhere && hostOf(canonical) !== hostOf(post.link ?? canonical))
    lose(
      'canonicalUrl',
      'its canonical address is on another domain, but the sitemap will list it once published',
      canonical,
    )
  const seoFields = {
    ...(metaDescription && { metaDescription }),
    ...(ogTitle && { ogTitle }),
    ...(ogDescription && { ogDescription }),
  }
  const metadata = {
    authors: [...new Set(post.authors)].map((name) => ({ name })),
    image: post.image ? imageOf(post.image) : seo.image ? { url: seo.image } : undefined,
    categories: [...new Set(post.categories)],
    tags: [...new Set(post.tags)],
    canonicalUrl: isElsewhere ? canonical : undefined,
    modifiedAt: post.modifiedAt,
  }
  const article: Article = {
    slug: post.slug,
    title,
    contentHtml: post.body.html,
    ...(excerpt && { excerpt }),
    ...(status && { status }),
    ...(post.publishedAt && { publishedAt: post.publishedAt }),
    ...(post.language && { language: post.language }),
    ...(post.sourceSlug && { sourceSlug: post.sourceSlug }),
    ...metadataFields(metadata, { seo: seoFields, article: isElsewhere ? { url: canonical } : {} }, lose),
  }
  const { file, kind, oldAddresses } = post
  const origin = origins && origins.prefix + (post.id || `slug=${post.slug}`)
  return [
    ...losses.map((loss) => ({ loss: { file, ...loss } })),
    { found: { file, kind, article, origin, oldAddresses } },
  ]
}

export function titleText(html: string): string {
  return htmlToText(html.replace(CONTROLS, '')).text
}

/** Removes invisible characters, and reports them. */
export function readable(text: string, field: string, lose: Lose): string {
  if (text.includes('\uFFFD')) lose(field, 'it has bytes that are invalid in its encoding')
  const shown = text.replace(CONTROLS, '')
  if (shown !== text) lose(field, 'it has control characters, which are removed')
  return shown
}

function imageOf({ url, alt, width, height }: FeaturedImage) {
  return { url, ...(alt && { alt }), ...(width && height && { width, height }) }
}

function titleOf({ title, body, slug }: Post, lose: Lose): string {
  const text = titleText(title)
  if (text.length > MAX_TITLE_LENGTH) {
    lose('title', TOO_LONG, `${MAX_TITLE_LENGTH} characters`)
    return cut(text, MAX_TITLE_LENGTH)
  }
  if (text) return text
  const words = htmlToText(body.html).text
  lose(
    'title',
    words ? 'it has no title: the first words of its body are used' : 'it has no title: the slug is used',
  )
  return cut(words, TITLE_FROM_BODY_LENGTH) || slug
}

function excerptOf({ excerpt, body }: Post, lose: Lose): string | undefined {
  const text = htmlToText(excerpt).text || body.teaser || ''
  if (text.length > MAX_EXCERPT_LENGTH) {
    lose('excerpt', TOO_LONG, `${MAX_EXCERPT_LENGTH} characters`)
  }
  return cut(text, MAX_EXCERPT_LENGTH) || undefined
}

function heldBy({ status, hasPassword, publishedAt: detail }: Post): HoldReason<Reason> | undefined {
  if (hasPassword) return { reason: 'it has a password: imported as a draft', isPrivate: true }
  if (status === 'publish') return undefined
  if (status === 'draft') return DRAFT
  if (status === 'pending') return { reason: 'it waits for a review: imported as a draft' }
  if (status === 'private') return { reason: 'it is private: imported as a draft', isPrivate: true }
  if (status === 'future')
    return { reason: 'it is scheduled: imported as a draft without a schedule', detail }
  return { reason: 'it has an unknown status: imported as a draft', detail: status, isPrivate: true }
}

/** At most `length` UTF-16 units, cut between words if possible, with an ellipsis. */
function cut(text: string, length: number): string {
  if (text.length <= length) return text
  const start = text.slice(0, length - 1)
  const space = start.lastIndexOf(' ')
  const whole = space > length / 2 ? start.slice(0, space) : start.replace(/[\uD800-\uDBFF]$/, '')
  return `${whole.replace(/[\s.,;:–—-]+$/u, '')}…`
}

/** Equal for an export and the API of the same site. Undefined without its address. */
export function originsOf(base: URL | null, pages: 'guides' | 'none'): Origins | undefined {
  if (!base) return undefined
  const place = base.host + base.pathname.replace(/\/+$/, '')
  return { prefix: `wordpress:${place}:`, kinds: pages === 'guides' ? ['posts', 'guides'] : ['posts'] }
}
