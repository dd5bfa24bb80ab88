/** Bulk content, and comparable parts of answers. */
import type * as z from 'zod/mini'
import type { PostInput } from '../../src/content/posts/post.ts'
import { post, type TestSite } from './site.ts'
import { runSql } from './sql.ts'

type Json = Record<string, unknown>

/** `2026-11-21T03:28:00.123Z` */
export const WIRE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
export const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** A value for each field of a put, which the compiler requires for new fields too. `source` is a post. */
export const FULL_POST = {
  slug: 'full',
  title: 'Überschrift <b>& "mehr"</b>',
  contentHtml: '<p>"Körper"\u2028 \\</p><script>1</script>',
  excerpt: 'Kurz',
  status: 'draft',
  publishedAt: '2020-02-29T12:00:00.120Z',
  readingTimeMinutes: 7,
  qualityBand: 'standard',
  trustScore: 77.5,
  assuranceLabel: 'Checked',
  reviewStatus: 'changes_requested',
  aiGenerated: true,
  language: 'de-AT',
  sourceSlug: 'source',
  originId: 'ghost:64f0c1a2',
  originSlug: 'voll',
  provenance: { sources: [{ url: 'https://source.example.com/1', title: 'Source' }], generatedBy: 'B' },
  seo: { metaDescription: 'Meta', ogTitle: 'OG', ogDescription: 'Desc', keywords: ['title', 'slug'] },
  faqJsonLd: { '@context': 'https://schema.org', '@type': 'FAQPage', mainEntity: [], title: 'not a field' },
  schemaBundle: { article: { a: 1 }, breadcrumb: { b: [2] }, faq: null },
  authors: [
    { name: 'Ada', url: 'https://ada.example.com' },
    { name: 'Bob', url: null },
  ],
  image: { url: '/boat.png', alt: 'A boat', width: 640, height: null },
  categories: ['News', 'Boats'],
  tags: ['"quoted"', 'sea'],
  canonicalUrl: 'https://elsewhere.example.com/full',
  modifiedAt: '2021-03-04T05:06:07.890Z',
} satisfies Required<Omit<z.input<typeof PostInput>, 'sourcePostId' | 'updatedAt'>>

export async function putAll(site: TestSite, posts: Json[], atOnce = 100) {
  for (let at = 0; at < posts.length; at += atOnce) {
    await site.manage('PUT', '/posts', { posts: posts.slice(at, at + atOnce).map(post) })
  }
}

export function putGuide(site: TestSite, slug: string, fields: Json = {}) {
  return site.manage('PUT', `/guides/${slug}`, post({ status: 'published', ...fields }))
}

const HEAVY_BYTES = 4_500_000
export const HEAVY_HTML = 'x'.repeat(HEAVY_BYTES)

/**
 * Inserts `heavy-1` and `heavy-2`, together too large for one response of the database, by SQL, which is quicker; then
 * `light`.
 */
export async function putHeavy(site: TestSite) {
  await runSql(
    `insert into posts (site_id, slug, title, content_html, status, published_at)
     select $1, 'heavy-' || n, 'Heavy', repeat('x', ${HEAVY_BYTES}), 'published', make_date(2000 + n, 1, 1)
     from generate_series(1, 2) n`,
    [site.id],
  )
  await site.put('light')
}

export async function slugsOf(site: TestSite, below: string): Promise<unknown[]> {
  const { items } = await site.json<{ items: Json[] }>(below)
  return items.map((item) => item.slug)
}

/** A second key of the site. */
export async function makeKey(site: TestSite, fields: Json = {}): Promise<{ id: string; key: string }> {
  return site.manage('POST', '/keys', { name: 'another', ...fields })
}

/** `X-RateLimit-*` of an answer, as numbers; null if absent. */
export function rateOf(response: Response) {
  const number = (name: string) => {
    const value = response.headers.get(`X-RateLimit-${name}`)
    return value === null ? null : Number(value)
  }
  return { limit: number('Limit'), remaining: number('Remaining'), reset: number('Reset') }
}

export const UNCOUNTED = { limit: null, remaining: null, reset: null }
