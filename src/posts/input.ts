/** What may be written into a post. */
import { z } from 'zod'
import { postStatuses, qualityBands, reviewStatuses } from '../db/schema.ts'
import { LANGUAGE } from '../sites.ts'
import { SLUG, SLUG_RULE } from '../slug.ts'
import { Instant } from '../time.ts'
import { Provenance, SchemaBundle, Seo } from './post.ts'

const JSON_BYTES = 256 * 1024

/** Small enough that a post with all its JSON fields still travels in one answer of the database. */
const small = <Schema extends z.ZodType>(schema: Schema) =>
  schema.refine(
    (value) => JSON.stringify(value ?? null).length <= JSON_BYTES,
    'must be at most 256 KiB of JSON',
  )

/** Fields that a post and a guide share. */
export const textFields = {
  slug: z.string().regex(SLUG, SLUG_RULE),
  title: z
    .string()
    .max(500)
    .refine((title) => title.trim() !== '', 'must not be blank'),
  contentHtml: z.string(),
  excerpt: z.string().max(2_000).nullish(),
  status: z.enum(postStatuses).optional(),
  publishedAt: Instant.nullish(),
  readingTimeMinutes: z.int().min(0).max(100_000).nullish(),
}

export const PostInput = z.strictObject({
  ...textFields,
  qualityBand: z.enum(qualityBands).nullish(),
  trustScore: z.number().min(0).max(100).nullish(),
  assuranceLabel: z.string().max(200).nullish(),
  reviewStatus: z.enum(reviewStatuses).nullish(),
  aiGenerated: z.boolean().optional(),
  language: z.string().max(35).regex(LANGUAGE, 'must be a language code such as en or pt-BR').nullish(),
  sourceSlug: z.string().regex(SLUG, SLUG_RULE).nullish(),
  sourcePostId: z.uuid().nullish(),
  provenance: small(Provenance.strict()).nullish(),
  seo: small(Seo.strict()).nullish(),
  faqJsonLd: small(z.record(z.string(), z.unknown())).nullish(),
  schemaBundle: small(SchemaBundle.strict()).nullish(),
  // The service's own fields: accepted, so that what was read can be put back, and ignored.
  id: z.unknown().optional(),
  updatedAt: z.unknown().optional(),
})

export type PostInput = z.infer<typeof PostInput>
