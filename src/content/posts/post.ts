/** The wire shape of a post, and the allow-list of columns that may appear in it. */
import { type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import * as z from 'zod/mini'
import { posts, qualityBands, reviewStatuses } from '../../db/schema.ts'
import { wireShape } from '../../foundation/wire-shape.ts'
import { type Fields, isAsked, PARTIAL, shown, shownColumns, wireColumns } from '../articles/fields.ts'

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

/** Of `fields`. */
export const PartialPost = /* @__PURE__ */ wireShape(() => {
  const { id, slug, updatedAt } = Post.shape
  return z
    .extend(z.partial(Post), { id, slug, updatedAt })
    .register(z.globalRegistry, { id: 'PartialPost', description: PARTIAL })
})

/** What the API shows of a post besides `contentHtml`: nothing but these columns, and so no new one by accident. */
const columns = {
  ...shownColumns(posts),
  qualityBand: posts.qualityBand,
  assuranceLabel: posts.assuranceLabel,
  reviewStatus: posts.reviewStatus,
  aiGenerated: posts.aiGenerated,
  language: posts.language,
  sourcePostId: posts.sourcePostId,
  seo: posts.seo,
  faqJsonLd: posts.faqJsonLd,
  schemaBundle: posts.schemaBundle,
} satisfies Record<Exclude<keyof Post, 'contentHtml' | 'provenance'>, PgColumn>

/** The names of all fields of a post. */
export const postFields: string[] = [...Object.keys(columns), 'contentHtml', 'provenance']

export const postColumns = (fields: Fields) => wireColumns(posts, columns, fields)

/** JSON bytes of the heavy fields among those asked for. */
export function postBytes(fields: Fields): SQL {
  if (isAsked(fields, 'contentHtml')) return sql`${posts.wireBytes}`
  const { seo, faqJsonLd, schemaBundle } = columns
  const asked = Object.entries({ seo, faqJsonLd, schemaBundle }).filter(([name]) => isAsked(fields, name))
  return sql.join([sql`0`, ...asked.map(([, column]) => sql`json_bytes(${column}::text)`)], sql` + `)
}
