/** The wire shape of a post, and the allow-list of columns that may appear in it. */
import * as z from 'zod'
import { shown, toShown } from '../articles/fields.ts'
import { posts, qualityBands, reviewStatuses } from '../db/schema.ts'
import { wireShape } from '../wire-shape.ts'

const JsonObject = z.record(z.string(), z.unknown())

export const Seo = z.object({
  metaDescription: z.string().optional(),
  ogTitle: z.string().optional(),
  ogDescription: z.string().optional(),
  keywords: z.array(z.string()).max(500).optional(),
})

export const Provenance = z.object({
  sources: z
    .array(
      z.object({
        url: z.url({ normalize: true }).regex(/^\S+$/, 'must be a URL').max(2_048),
        title: z.string(),
        publisher: z.string().optional(),
        retrievedAt: z.string().optional(),
        claims: z.array(z.string()).max(1_000).optional(),
      }),
    )
    .max(1_000),
  generatedBy: z.string().optional(),
})

export const SchemaBundle = z.object({
  article: JsonObject,
  breadcrumb: JsonObject,
  faq: JsonObject.nullable(),
})

export const Post = /* @__PURE__ */ wireShape(() =>
  z
    .object({
      ...shown,
      qualityBand: z.enum(qualityBands).nullable(),
      assuranceLabel: z.string().nullable(),
      reviewStatus: z.enum(reviewStatuses).nullable(),
      aiGenerated: z.boolean(),
      language: z.string().nullable(),
      sourcePostId: z.uuid().nullable(),
      provenance: Provenance.optional(),
      seo: Seo.nullable(),
      faqJsonLd: JsonObject.nullable(),
      schemaBundle: SchemaBundle.nullable(),
    })
    .meta({ id: 'Post' }),
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
