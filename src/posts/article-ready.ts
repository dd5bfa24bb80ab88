/** The `article.ready` payload, built in SQL so that it shows the post as of the change. */
import { type SQL, sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import { qualityBands } from '../db/schema.ts'
import { wireShape } from '../wire-shape.ts'

const HINT = 'GET fetch.path with your API key as a Bearer token to import contentHtml, seo and faqJsonLd.'

export const ArticleReady = /* @__PURE__ */ wireShape(() =>
  z.object({
    event: z.literal('article.ready'),
    siteId: z.uuid(),
    postId: z.uuid(),
    slug: z.string(),
    title: z.string(),
    trustScore: z.nullable(z.number()),
    qualityBand: z.nullable(z.enum(qualityBands)),
    assuranceLabel: z.nullable(z.string()),
    language: z.nullable(z.string()),
    sourcePostId: z.nullable(z.uuid()),
    status: z.literal('draft'),
    at: z.iso.datetime(),
    sequence: z.int(),
    fetch: z.object({ path: z.string(), hint: z.string() }),
  }),
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
