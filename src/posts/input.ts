/** The fields of a post that callers may write. */
import * as z from 'zod'
import { writable } from '../articles/fields.ts'
import { qualityBands, reviewStatuses } from '../db/schema.ts'
import { LANGUAGE } from '../sites.ts'
import { SLUG, SLUG_RULE } from '../slug.ts'
import { Provenance, SchemaBundle, Seo } from './post.ts'

const JSON_BYTES = 256 * 1024

/** Keeps a post with all its JSON fields within one response from Neon. */
const small = <Schema extends z.ZodType>(schema: Schema) =>
  schema.refine(
    (value) => new TextEncoder().encode(JSON.stringify(value ?? null)).length <= JSON_BYTES,
    'must be at most 256 KiB of JSON',
  )

export const PostInput = z.strictObject({
  ...writable,
  qualityBand: z.enum(qualityBands).nullish(),
  trustScore: z.number().min(0).max(100).nullish(),
  assuranceLabel: z.string().max(200).nullish(),
  reviewStatus: z.enum(reviewStatuses).nullish(),
  aiGenerated: z.boolean().optional(),
  language: z.string().max(35).regex(LANGUAGE, 'must be a language code such as en or pt-BR').nullish(),
  sourceSlug: z
    .string()
    .refine((slug) => SLUG.test(slug), SLUG_RULE)
    .nullish(),
  sourcePostId: z.uuid().nullish(),
  provenance: small(Provenance.strict()).nullish(),
  seo: small(Seo.strict()).nullish(),
  faqJsonLd: small(z.record(z.string(), z.unknown())).nullish(),
  schemaBundle: small(SchemaBundle.strict()).nullish(),
})

export type PostInput = z.infer<typeof PostInput>
