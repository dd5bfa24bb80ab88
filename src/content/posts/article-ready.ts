/** The `article.ready` payload, built in SQL so that it shows the post as of the change. */
import { type SQL, sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import { qualityBands } from '../../db/schema.ts'
import { wireShape } from '../../foundation/wire-shape.ts'

const HINT = 'GET fetch.path with your API key as a Bearer token to import contentHtml, seo and faqJsonLd.'

export const ArticleReady = /* @__PURE__ */ wireShape(() =>
  z
    .object({
      event: z.literal('article.ready'),
      siteId: z.uuid(),
      postId: z.uuid(),
      slug: z.string(),
      title: z.string(),
      trustScore: z
        .nullable(z.number())
        .check(z.meta({ deprecated: true, description: 'Use `qualityBand`, which is made of it' })),
      qualityBand: z.nullable(z.enum(qualityBands)),
      assuranceLabel: z.nullable(z.string()),
      language: z.nullable(z.string()),
      sourcePostId: z.nullable(z.uuid()).check(z.describe('The post of which this one is a translation')),
      status: z.literal('draft'),
      at: z.iso.datetime().check(z.describe("The post's `updatedAt` as of the event")),
      sequence: z.int().check(z.describe('Its number in the change feed')),
      fetch: z
        .object({ path: z.string(), hint: z.string() })
        .check(z.describe('Where the post is, at least as new as the event')),
    })
    .register(z.globalRegistry, { id: 'ArticleReady' }),
)

/** The payload as an SQL expression of type text, given a row of posts. */
export function articleReadyJson(row: SQL): SQL {
  return sql`json_build_object(
    'event', 'article.ready',
    'siteId', ${row}.site_id,
    'postId', ${row}.id,
    'slug', ${row}.slug,
    'title', ${row}.title,
    'trustScore', ${row}.trust_score,
    'qualityBand', ${row}.quality_band,
    'assuranceLabel', ${row}.assurance_label,
    'language', ${row}.language,
    'sourcePostId', ${row}.source_post_id,
    'status', ${row}.status,
    'at', wire_time(${row}.updated_at),
    'sequence', wire_sequence(${row}.updated_at),
    'fetch', json_build_object(
      'path', '/api/v1/sites/' || ${row}.site_id || '/posts/' || url_component(${row}.slug),
      'hint', ${HINT}::text
    )
  )::text`
}
