/** What a post is to the operator. */
import { sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import { postStatuses, posts, qualityBands, reviewStatuses } from '../../db/schema.ts'
import { wireShape } from '../../foundation/wire-shape.ts'
import type { StoredKind } from '../articles/stored.ts'
import { filtersOf, findPosts, valuesOf } from './find.ts'
import { PostInput } from './input.ts'

export const ListedPost = /* @__PURE__ */ wireShape(() =>
  z
    .object({
      id: z.uuid(),
      slug: z.string(),
      title: z.string(),
      status: z.enum(postStatuses),
      language: z.nullable(z.string()),
      sourceSlug: z.nullable(z.string()),
      qualityBand: z.nullable(z.enum(qualityBands)),
      trustScore: z.nullable(z.number()),
      reviewStatus: z.nullable(z.enum(reviewStatuses)),
      aiGenerated: z.boolean(),
      readyAt: z.nullable(z.iso.datetime()),
      publishedAt: z.nullable(z.iso.datetime()),
      updatedAt: z.iso.datetime(),
      createdAt: z.iso.datetime(),
    })
    .register(z.globalRegistry, { id: 'ListedPost' }),
)

export const StoredPost = /* @__PURE__ */ wireShape(() =>
  z
    .object({
      id: z.uuid(),
      updatedAt: z.iso.datetime(),
      createdAt: z.iso.datetime(),
      readyAt: z.nullable(z.iso.datetime()),
      post: PostInput.check(z.meta({ id: 'PostBody', description: 'What puts the same post again' })),
    })
    .register(z.globalRegistry, { id: 'StoredPost' }),
)

const sourceSlug = sql`(select s.slug from ${posts} s where s.id = ${posts.sourcePostId})`
const { slug, title, status, language, qualityBand, trustScore, reviewStatus, aiGenerated } = posts
const { createdAt, readyAt, publishedAt } = posts

const common = {
  slug,
  title,
  status,
  language,
  sourceSlug,
  qualityBand,
  trustScore,
  reviewStatus,
  aiGenerated,
}

export const STORED_POSTS: StoredKind = {
  noun: 'post',
  missing: 'post_not_found',
  table: posts,
  listed: { id: posts.id, ...common, readyAt, publishedAt, updatedAt: posts.updatedAt, createdAt },
  set: { createdAt, readyAt },
  body: {
    ...common,
    publishedAt,
    excerpt: posts.excerpt,
    readingTimeMinutes: posts.readingTimeMinutes,
    assuranceLabel: posts.assuranceLabel,
    provenance: posts.provenance,
    seo: posts.seo,
    faqJsonLd: posts.faqJsonLd,
    // Of a bundle, what the caller gave.
    schemaBundle: sql`case when not ${posts.schemaBundleDerived} then ${posts.schemaBundle}
      when ${posts.schemaArticle} is not null then jsonb_build_object('article', ${posts.schemaArticle}) end`,
  },
  bytes: sql`${posts.wireBytes} + json_bytes(${posts.provenance}::text)`,
  find(db, site, { limit, cursor, ...filters }) {
    const input = { ...filters, page: 1, pageSize: limit + 1, updatedAfter: null, updatedBefore: cursor?.at }
    return { page: findPosts(db, filtersOf(input), 'newest').page, values: valuesOf(site, input) }
  },
}
