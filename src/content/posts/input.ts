/** The fields of a post that callers may write. */
import * as z from 'zod/mini'
import { qualityBands, reviewStatuses } from '../../db/schema.ts'
import { Language } from '../../sites/sites.ts'
import { SlugOfPost, writable } from '../articles/fields.ts'
import { JsonObject, provenanceFields, schemaBundleFields, seoFields } from './post.ts'

const JSON_BYTES = 256 * 1024

/** Keeps a post with all its JSON fields within one response from Neon. */
const small = z.refine(
  (value) => new TextEncoder().encode(JSON.stringify(value ?? null)).length <= JSON_BYTES,
  'must be at most 256 KiB of JSON',
)

/** With `article` alone, what it leaves out is derived. */
const bundleFields = {
  ...schemaBundleFields,
  breadcrumb: z.optional(schemaBundleFields.breadcrumb),
  faq: z.optional(schemaBundleFields.faq),
}

const whole = z.refine<z.infer<z.ZodMiniObject<typeof bundleFields>>>(
  ({ breadcrumb, faq }) => (breadcrumb === undefined) === (faq === undefined),
  'must have both breadcrumb and faq, or neither',
)

export const PostInput = z.strictObject({
  ...writable,
  qualityBand: z.nullish(z.enum(qualityBands)),
  trustScore: z.nullish(z.number().check(z.minimum(0), z.maximum(100))),
  assuranceLabel: z.nullish(z.string().check(z.maxLength(200))),
  reviewStatus: z.nullish(z.enum(reviewStatuses)),
  aiGenerated: z.optional(z.boolean()),
  language: z.nullish(Language),
  sourceSlug: z.nullish(SlugOfPost),
  sourcePostId: z.nullish(z.uuid()),
  provenance: z.nullish(z.strictObject(provenanceFields).check(small)),
  seo: z.nullish(z.strictObject(seoFields).check(small)),
  faqJsonLd: z.nullish(JsonObject.check(small)),
  schemaBundle: z.nullish(z.strictObject(bundleFields).check(small, whole)),
})

export type PostInput = z.infer<typeof PostInput>
