/** The fields that posts and guides share: what callers may write, and what the API shows. */
import { type SQL, sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import { type Columns, jsonObject, withMember } from '../../db/json.ts'
import { type guides, postStatuses, type posts } from '../../db/schema.ts'
import { SLUG, SLUG_RULE, slugProblem } from '../../foundation/slug.ts'
import { Instant } from '../../foundation/time.ts'
import { wireShape } from '../../foundation/wire-shape.ts'

/** The slug of a post that is there already. */
export const SlugOfPost = z.string().check(
  z.normalize('NFC'),
  z.refine((slug) => SLUG.test(slug), SLUG_RULE),
)

export const writable = {
  slug: z.string().check(z.normalize('NFC'), ({ value, issues }) => {
    const message = slugProblem(value)
    if (message) issues.push({ code: 'custom', input: value, message })
  }),
  title: z.string().check(
    z.maxLength(500),
    z.refine((title) => title.trim() !== '', 'must not be blank'),
  ),
  contentHtml: z.string(),
  excerpt: z.nullish(z.string().check(z.maxLength(2_000))),
  status: z.optional(z.enum(postStatuses)),
  publishedAt: z.nullish(Instant),
  readingTimeMinutes: z.nullish(z.int().check(z.minimum(0), z.maximum(100_000))),
  // Set by the service. Accepted and ignored, so that an article can be put back as it was read.
  updatedAt: z.optional(z.unknown()),
}

export const shown = /* @__PURE__ */ wireShape(() => ({
  id: z.uuid(),
  slug: z.string(),
  title: z.string(),
  excerpt: z.nullable(z.string()),
  contentHtml: z.string(),
  status: z.enum(postStatuses),
  publishedAt: z.nullable(z.iso.datetime()),
  updatedAt: z.nullable(z.iso.datetime()),
  readingTimeMinutes: z.nullable(z.int()),
}))

/** What the documents say of an article of which `fields` were asked for. */
export const PARTIAL = 'Has `id`, `slug`, `updatedAt` and what `fields` asked for'

/** The columns of `shown` but `contentHtml`. */
export function shownColumns(table: typeof guides | typeof posts) {
  const { id, slug, title, excerpt, status, publishedAt, updatedAt, readingTimeMinutes } = table
  return { id, slug, title, excerpt, status, publishedAt, updatedAt, readingTimeMinutes }
}

/** The fields asked for, or null for all. */
export type Fields = readonly string[] | null

export const isAsked = (fields: Fields, name: string): boolean => fields?.includes(name) ?? true

export type WireColumns = { json: SQL<string>; contentHtml: SQL<string | null> }

/**
 * What is read of a row: of `columns`, which are all but `contentHtml`, those asked for. `contentHtml` is apart, since
 * Postgres would escape its quotes twice.
 */
export function wireColumns(
  { contentHtml }: typeof guides | typeof posts,
  columns: Columns,
  fields: Fields,
): WireColumns {
  const asked = Object.entries(columns).filter(([name]) => isAsked(fields, name))
  return {
    json: jsonObject(Object.fromEntries(asked)),
    contentHtml: isAsked(fields, 'contentHtml') ? sql`${contentHtml}` : sql`null::text`,
  }
}

export type ArticleRow = { id: string; json: string; contentHtml: string | null }

/** What the API shows of articles, by id. */
export function articlesById(rows: ArticleRow[]): Map<string, string> {
  return new Map(rows.map((row) => [row.id, articleJson(row)]))
}

/** What the API shows of an article's row. */
export function articleJson({ json, contentHtml }: Omit<ArticleRow, 'id'>): string {
  return contentHtml === null ? json : withMember(json, 'contentHtml', JSON.stringify(contentHtml))
}
