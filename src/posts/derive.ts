/** What a post says of itself when its author does not: excerpt, reading time, SEO, schema.org bundle. */
import { htmlToText } from '../html-text.ts'
import type { SiteScope } from '../sites.ts'
import { postUrl, siteUrl } from '../urls.ts'
import type { PostInput } from './input.ts'

const EXCERPT_LENGTH = 200
const META_DESCRIPTION_LENGTH = 160
const WORDS_PER_MINUTE = 200
const CJK_CHARACTERS_PER_MINUTE = 500
const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu

/** The fields that guides and posts have in common. */
export function deriveText(input: {
  contentHtml: string
  excerpt?: string | null
  readingTimeMinutes?: number | null
}) {
  const text = htmlToText(input.contentHtml)
  return {
    text,
    excerpt: input.excerpt ?? (shorten(text, EXCERPT_LENGTH) || null),
    readingTimeMinutes: input.readingTimeMinutes ?? minutesToRead(text),
  }
}

/** Premium from 85, standard from 70, else review; null without a score. */
export function bandOf(trustScore: number | null | undefined) {
  if (trustScore == null) return null
  return trustScore >= 85 ? 'premium' : trustScore >= 70 ? 'standard' : 'review'
}

/** All derived fields of a post. The bundle's dates are the database's, which sets them with `updated_at`. */
export function derive(site: SiteScope, input: PostInput) {
  const { text, excerpt, readingTimeMinutes } = deriveText(input)
  const metaDescription = input.seo?.metaDescription ?? shorten(excerpt ?? text, META_DESCRIPTION_LENGTH)
  const seo = { ...input.seo, ...(metaDescription && { metaDescription }) }
  return {
    excerpt,
    readingTimeMinutes,
    qualityBand: input.qualityBand ?? bandOf(input.trustScore),
    seo: Object.keys(seo).length > 0 ? seo : null,
    schemaBundle: input.schemaBundle ?? buildSchemaBundle(site, input, metaDescription),
  }
}

function buildSchemaBundle(site: SiteScope, input: PostInput, description: string) {
  const url = postUrl(site, { slug: input.slug, language: input.language ?? null })
  const crumb = (position: number, name: string, item: string) => ({
    '@type': 'ListItem',
    position,
    name,
    item,
  })
  return {
    article: {
      '@context': 'https://schema.org',
      '@type': 'BlogPosting',
      headline: input.title,
      ...(description && { description }),
      ...(input.language && { inLanguage: input.language }),
      ...(input.seo?.keywords?.length && { keywords: input.seo.keywords.join(', ') }),
      url,
      mainEntityOfPage: { '@type': 'WebPage', '@id': url },
    },
    breadcrumb: {
      '@context': 'https://schema.org',
      '@type': 'BreadcrumbList',
      itemListElement: [crumb(1, site.domain, siteUrl(site)), crumb(2, input.title, url)],
    },
    faq: input.faqJsonLd ?? null,
  }
}

function minutesToRead(text: string): number {
  const cjk = text.match(CJK)?.length ?? 0
  const words = text.replace(CJK, ' ').split(' ').filter(Boolean).length
  return Math.max(1, Math.ceil(words / WORDS_PER_MINUTE + cjk / CJK_CHARACTERS_PER_MINUTE))
}

/** At most `length` characters, cut between words, with an ellipsis where something was cut. */
function shorten(text: string, length: number): string {
  if (text.length <= length) return text
  const cut = text.slice(0, length - 1)
  const space = cut.lastIndexOf(' ')
  const kept = space > length / 2 ? cut.slice(0, space) : cut.replace(/[\uD800-\uDBFF]$/, '')
  return `${kept.trimEnd()}…`
}
