/** The wire shape of a post, and the allow-list of columns that may appear in it. */
import * as z from 'zod/mini'
import { shown, toShown } from '../articles/fields.ts'
import { posts, qualityBands, reviewStatuses } from '../db/schema.ts'
import { wireShape } from '../wire-shape.ts'

export const JsonObject = z.record(z.string(), z.unknown())

const optionalText = z.optional(z.string())

export const seoFields = {
  metaDescription: optionalText,
  ogTitle: optionalText,
  ogDescription: optionalText,
  keywords: z.optional(z.array(z.string()).check(z.maxLength(500))),
}

export const provenanceFields = {
  sources: z
    .array(
      z.object({
        url: z.url({ normalize: true }).check(z.regex(/^\S+$/, 'must be a URL'), z.maxLength(2_048)),
        title: z.string(),
        publisher: optionalText,
        retrievedAt: optionalText,
        claims: z.optional(z.array(z.string()).check(z.maxLength(1_000))),
      }),
    )
    .check(z.maxLength(1_000)),
  generatedBy: optionalText,
}

export const schemaBundleFields = {
  article: JsonObject,
  breadcrumb: JsonObject,
  faq: z.nullable(JsonObject),
}

export const Post = /* @__PURE__ */ wireShape(() =>
  z
    .object({
      ...shown,
      qualityBand: z.nullable(z.enum(qualityBands)),
      assuranceLabel: z.nullable(z.string()),
      reviewStatus: z.nullable(z.enum(reviewStatuses)),
      aiGenerated: z.boolean(),
      language: z.nullable(z.string()),
      sourcePostId: z.nullable(z.uuid()),
      provenance: z.optional(z.object(provenanceFields)),
      seo: z.nullable(z.object(seoFields)),
      faqJsonLd: z.nullable(JsonObject),
      schemaBundle: z.nullable(z.object(schemaBundleFields)),
    })
    .register(z.globalRegistry, { id: 'Post' }),
)

export type Post = z.infer<typeof Post>

/** The columns whose size is bounded. */
export const lightColumns = {
  id: posts.id,
  slug: posts.slug,
  title: posts.title,
  excerpt: posts.excerpt,
  status: posts.status,
  publishedAt: posts.publishedAt,
  updatedAt: posts.updatedAt,
  readingTimeMinutes: posts.readingTimeMinutes,
  qualityBand: posts.qualityBand,
  assuranceLabel: posts.assuranceLabel,
  reviewStatus: posts.reviewStatus,
  aiGenerated: posts.aiGenerated,
  language: posts.language,
  sourcePostId: posts.sourcePostId,
}

/** The columns that `wire_bytes` counts. */
export const heavyColumns = {
  contentHtml: posts.contentHtml,
  seo: posts.seo,
  faqJsonLd: posts.faqJsonLd,
  schemaBundle: posts.schemaBundle,
}

type Row = typeof posts.$inferSelect
export type LightRow = Pick<Row, keyof typeof lightColumns>
export type HeavyRow = Pick<Row, keyof typeof heavyColumns>

/** Lists every field, so that a new column is not exposed by accident. */
export function toPost(row: LightRow & HeavyRow): Post {
  return {
    ...toShown(row),
    qualityBand: row.qualityBand,
    assuranceLabel: row.assuranceLabel,
    reviewStatus: row.reviewStatus,
    aiGenerated: row.aiGenerated,
    language: row.language,
    sourcePostId: row.sourcePostId,
    seo: row.seo as Post['seo'],
    faqJsonLd: row.faqJsonLd as Post['faqJsonLd'],
    schemaBundle: row.schemaBundle as Post['schemaBundle'],
  }
}
