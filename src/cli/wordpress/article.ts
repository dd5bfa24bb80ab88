/** A post or page of WordPress as an article, and what of it is lost. */
import type { ArticleKind } from '../../foundation/article-filters.ts'
import { htmlToText } from '../../foundation/html-text.ts'
import type { Article, Entry } from '../import/source.ts'
import type { Body } from './body.ts'
import type { Seo } from './seo.ts'

const MAX_TITLE_LENGTH = 500
const MAX_EXCERPT_LENGTH = 2_000
const TITLE_FROM_BODY_LENGTH = 60

export type Post = {
  file: string
  kind: ArticleKind
  slug: string
  language: string | undefined
  sourceSlug: string | undefined
  /** HTML. */
  title: string
  /** HTML. */
  excerpt: string
  body: Body
  /** As WordPress names it, such as `publish` or `future`. */
  status: string
  hasPassword: boolean
  /** RFC 3339. */
  publishedAt: string | undefined
  modifiedAt: string | undefined
  author: string | undefined
  categories: string[]
  tags: string[]
  image: string | undefined
  link: string | undefined
  /** Paths. */
  oldAddresses: string[]
  losses: { field: string; reason: string }[]
}

/**
 * The entries for a post: what is lost, and the article. Only what WordPress shows to everybody is published; `--status
 * draft` makes that a draft too.
 */
export function entriesOf(post: Post, seo: Seo, wanted: Article['status'] | undefined): Entry[] {
  const losses = [...post.losses, ...seo.losses]
  const lose = (field: string, reason: string) => losses.push({ field, reason })
  for (const reason of post.body.losses) lose('contentHtml', reason)
  const title = titleOf(post, lose)
  const excerpt = excerptOf(post, lose)
  const status = statusOf(post, wanted, lose)
  if (seo.image && post.image && seo.image !== post.image) {
    lose('SEO image', `the featured image is taken: ${seo.image} is left out`)
  }
  const { canonical, metaDescription, ogTitle, ogDescription } = seo
  const isElsewhere = canonical !== undefined && canonical !== post.link
  const keywords = [...new Set(post.tags)]
  const seoFields = {
    ...(metaDescription && { metaDescription }),
    ...(ogTitle && { ogTitle }),
    ...(ogDescription && { ogDescription }),
    ...(keywords.length > 0 && { keywords }),
  }
  const image = post.image ?? seo.image
  const about = {
    ...(post.author && { author: { '@type': 'Person', name: post.author } }),
    ...(post.categories.length > 0 && { articleSection: oneOrAll(post.categories) }),
    ...(image && { image }),
    ...(isElsewhere && { url: canonical, mainEntityOfPage: { '@type': 'WebPage', '@id': canonical } }),
    ...(post.modifiedAt && { dateModified: post.modifiedAt }),
  }
  const article: Article = {
    slug: post.slug,
    title,
    contentHtml: post.body.html,
    ...(excerpt && { excerpt }),
    status,
    ...(post.publishedAt && { publishedAt: post.publishedAt }),
    ...(post.language && { language: post.language }),
    ...(post.sourceSlug && { sourceSlug: post.sourceSlug }),
    ...(Object.keys(seoFields).length > 0 && { seo: seoFields }),
    ...(Object.keys(about).length > 0 && { schemaBundle: { article: about } }),
  }
  const { file, kind, oldAddresses } = post
  return [
    ...losses.map((loss) => ({ loss: { file, ...loss } })),
    { found: { file, kind, article, oldAddresses } },
  ]
}

/** The readable text of a title, which may have markup. */
export function titleText(html: string): string {
  return htmlToText(html).text
}

type Lose = (field: string, reason: string) => void

function titleOf({ title, body, slug }: Post, lose: Lose): string {
  const text = titleText(title)
  if (text.length > MAX_TITLE_LENGTH) {
    lose('title', `longer than ${MAX_TITLE_LENGTH} characters: the rest is cut off`)
    return cut(text, MAX_TITLE_LENGTH)
  }
  if (text) return text
  const words = htmlToText(body.html).text
  lose('title', words ? 'it has none: the first words of its body are used' : 'it has none: the slug is used')
  return cut(words, TITLE_FROM_BODY_LENGTH) || slug
}

function excerptOf({ excerpt, body }: Post, lose: Lose): string | undefined {
  const text = htmlToText(excerpt).text || body.teaser || ''
  if (text.length > MAX_EXCERPT_LENGTH) {
    lose('excerpt', `longer than ${MAX_EXCERPT_LENGTH} characters: the rest is cut off`)
  }
  return cut(text, MAX_EXCERPT_LENGTH) || undefined
}

const DRAFT_BECAUSE: Record<string, string> = {
  pending: 'it waits for a review: it is a draft',
  private: 'it is private: it is a draft',
}

function statusOf(post: Post, wanted: Article['status'] | undefined, lose: Lose): Article['status'] {
  const { status, hasPassword, publishedAt } = post
  if (hasPassword) lose('status', 'it has a password: it is a draft')
  else if (status === 'future') {
    lose(
      'status',
      `it is scheduled for ${publishedAt ?? 'later'}: it is a draft, which nothing publishes then`,
    )
  } else if (status !== 'publish' && status !== 'draft') {
    lose('status', DRAFT_BECAUSE[status] ?? `its status is ${status}: it is a draft`)
  } else if (status === 'draft' && wanted === 'published') {
    lose('status', 'it is a draft, which --status does not publish')
  }
  return status === 'publish' && !hasPassword && wanted !== 'draft' ? 'published' : 'draft'
}

function oneOrAll(names: string[]): string | string[] {
  const [first, ...others] = [...new Set(names)]
  return others.length === 0 ? (first ?? '') : [first ?? '', ...others]
}

/** At most `length` UTF-16 units, between words where that is not far, with an ellipsis. */
function cut(text: string, length: number): string {
  if (text.length <= length) return text
  const start = text.slice(0, length - 1)
  const space = start.lastIndexOf(' ')
  const whole = space > length / 2 ? start.slice(0, space) : start.replace(/[\uD800-\uDBFF]$/, '')
  return `${whole.replace(/[\s.,;:–—-]+$/u, '')}…`
}
