import { sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import { jsonObject } from '../../db/json.ts'
import { posts, qualityBands, reviewStatuses, webhookEvents } from '../../db/schema.ts'
import { Language } from '../../sites/sites.ts'
import { type FieldTable, groupFields } from '../articles/field-table.ts'
import { articleFields, SlugOfPost } from '../articles/shared-fields.ts'
import { METADATA } from './metadata.ts'

const JSON_BYTES = 256 * 1024
const SMALL = 'At most 256 KiB of JSON'

/** Keeps a post with all its JSON fields within one response from Neon. */
const small = z.refine(
  (value) => new TextEncoder().encode(JSON.stringify(value ?? null)).length <= JSON_BYTES,
  'must be at most 256 KiB of JSON',
)

const JsonObject = z.record(z.string(), z.unknown())

const optionalText = z.optional(z.string())

const seo = {
  metaDescription: optionalText,
  ogTitle: optionalText,
  ogDescription: optionalText,
  keywords: z.optional(z.array(z.string()).check(z.maxLength(500))),
}

const provenance = {
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

const schemaBundle = {
  article: JsonObject,
  breadcrumb: JsonObject,
  faq: z.nullable(JsonObject),
}

/** With `article` alone, the service derives the rest. */
const givenBundle = {
  ...schemaBundle,
  breadcrumb: z.optional(schemaBundle.breadcrumb),
  faq: z.optional(schemaBundle.faq),
}

const whole = z.refine<z.infer<z.ZodMiniObject<typeof givenBundle>>>(
  ({ breadcrumb, faq }) => (breadcrumb === undefined) === (faq === undefined),
  'must have both breadcrumb and faq, or neither',
)

/** Exists as long as the post is ready, because these events are not pruned. */
const READY_EVENT = sql`(select e.id from ${webhookEvents} e
  where e.site_id = ${posts.siteId} and e.resource_id = ${posts.id} and e.event = 'article.ready'
    and e.created_at >= ${posts.readyAt}
  order by e.created_at, e.endpoint_id <> e.site_id, e.id limit 1)`

export const SOURCE_SLUG = sql<
  string | null
>`(select s.slug from ${posts} s where s.site_id = ${posts.siteId} and s.id = ${posts.sourcePostId})`

/** True if an editor has requested changes, or a put has set that status. */
export const CHANGES_REQUESTED = sql`(change_request is not null or coalesce(review_status = 'changes_requested', false))`

export const ChangeRequest = z.object({
  note: z.string(),
  requestedAt: z.iso.datetime(),
  requestedBy: z.nullable(z.string()),
  changedAt: z
    .nullable(z.iso.datetime())
    .check(z.describe('Last edit of the content since the request; null without one')),
})

export const POST_FIELDS = {
  ...articleFields(posts),
  qualityBand: {
    column: posts.qualityBand,
    shape: z.nullable(z.enum(qualityBands)),
    api: 'shown',
    operator: 'listed',
    input: z.nullish(z.enum(qualityBands)),
    put: 'edit',
    audited: true,
  },
  trustScore: {
    column: posts.trustScore,
    shape: z.nullable(z.number()),
    operator: 'listed',
    input: z.nullish(z.number().check(z.minimum(0), z.maximum(100))),
    put: 'edit',
  },
  assuranceLabel: {
    column: posts.assuranceLabel,
    shape: z.nullable(z.string()),
    api: 'shown',
    operator: 'body',
    input: z.nullish(z.string().check(z.maxLength(200))),
    put: 'edit',
  },
  reviewStatus: {
    column: posts.reviewStatus,
    shape: z.nullable(z.enum(reviewStatuses)),
    api: 'shown',
    operator: 'listed',
    input: z.nullish(z.enum(reviewStatuses)),
    docs: { description: 'Stays `changes_requested` until a change request is removed' },
    put: 'edit',
    audited: true,
  },
  aiGenerated: {
    column: posts.aiGenerated,
    shape: z.boolean(),
    api: 'shown',
    operator: 'listed',
    input: z.optional(z.boolean()),
    put: 'edit',
  },
  language: {
    column: posts.language,
    shape: z.nullable(z.string()),
    api: 'shown',
    operator: 'listed',
    input: z.nullish(Language),
    put: 'edit',
    audited: true,
  },
  sourceSlug: {
    column: SOURCE_SLUG,
    shape: z.nullable(z.string()),
    operator: 'listed',
    input: z.nullish(SlugOfPost),
  },
  sourcePostId: {
    column: posts.sourcePostId,
    shape: z.nullable(z.uuid()),
    api: 'shown',
    input: z.nullish(z.uuid()),
    put: 'edit',
  },
  provenance: {
    column: posts.provenance,
    shape: z.optional(z.object(provenance)),
    api: 'included-alone',
    operator: 'body',
    input: z.nullish(z.strictObject(provenance).check(small)),
    docs: { description: SMALL },
    put: 'edit',
  },
  seo: {
    column: posts.seo,
    shape: z.nullable(z.object(seo)),
    api: 'shown',
    operator: 'body',
    input: z.nullish(z.strictObject(seo).check(small)),
    docs: { description: SMALL },
    put: 'edit',
    heavy: true,
  },
  faqJsonLd: {
    column: posts.faqJsonLd,
    shape: z.nullable(JsonObject),
    api: 'shown',
    operator: 'body',
    input: z.nullish(JsonObject.check(small)),
    docs: { description: SMALL },
    put: 'edit',
    heavy: true,
  },
  schemaBundle: {
    column: posts.schemaBundle,
    shape: z.nullable(z.object(schemaBundle)),
    api: 'shown',
    operator: 'body',
    // For a derived bundle, the caller's `article`.
    inBody: sql`case when not ${posts.schemaBundleDerived} then ${posts.schemaBundle}
      when ${posts.schemaArticle} is not null then jsonb_build_object('article', ${posts.schemaArticle}) end`,
    input: z.nullish(z.strictObject(givenBundle).check(small, whole)),
    docs: {
      description: `With \`article\` alone, the service derives the rest. \`article.dateModified\` is the sitemap's \`lastmod\`. ${SMALL}`,
    },
    put: 'edit',
    heavy: true,
  },
  ...METADATA,
  metadata: {
    ...groupFields(METADATA),
    api: 'included',
    docs: { description: 'Only with `include=metadata`' },
    since: '1.1.0',
  },
  readyAt: {
    column: posts.readyAt,
    shape: z.nullable(z.iso.datetime()),
    operator: 'readOnly',
  },
  readyBy: {
    column: posts.readyBy,
    shape: z.nullable(z.string()),
    operator: 'readOnly',
    docs: { description: 'Name of the person who marked it ready; null if SQL did' },
    since: '1.1.0',
  },
  publishAt: {
    column: posts.publishAt,
    shape: z.nullable(z.iso.datetime()),
    operator: 'readOnly',
    docs: { description: 'Scheduled publication time; null if not scheduled' },
    audited: true,
    since: '1.1.0',
  },
  scheduledBy: {
    column: sql`${posts.scheduledBy} ->> 'name'`,
    shape: z.nullable(z.string()),
    operator: 'readOnly',
    docs: { description: 'Name of the person who scheduled it' },
    since: '1.1.0',
  },
  changeRequest: {
    column: posts.changeRequest,
    shape: z.nullable(ChangeRequest),
    operator: 'readOnly',
    since: '1.1.0',
  },
  readiness: {
    column: sql`case when ${posts.status} = 'draft' and ${posts.readyAt} is not null
      then ${jsonObject({ readyAt: posts.readyAt, eventId: READY_EVENT })} else 'null' end`,
    shape: z.optional(z.nullable(z.object({ readyAt: z.iso.datetime(), eventId: z.nullable(z.uuid()) }))),
    api: 'included',
    docs: {
      description:
        'Only with `include=readiness`. When a ready draft was marked ready, and the event that was sent if a webhook was set; else null',
    },
    since: '1.1.0',
  },
} satisfies FieldTable
