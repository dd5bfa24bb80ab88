/** The fields that posts and guides share: what callers may write, and what the API shows. */
import * as z from 'zod/mini'
import { type guides, postStatuses } from '../db/schema.ts'
import { SLUG, SLUG_RULE, slugProblem } from '../slug.ts'
import { Instant, wireTime } from '../time.ts'
import { wireShape } from '../wire-shape.ts'

/** The slug of a post that is there already. */
export const SlugOfPost = z.string().check(z.refine((slug) => SLUG.test(slug), SLUG_RULE))

export const writable = {
  slug: z.string().check(({ value, issues }) => {
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

type Row = Pick<typeof guides.$inferSelect, keyof typeof shown>

/** Lists every field of `shown`, so that a new column is not exposed by accident. */
export function toShown(row: Row) {
  return {
    id: row.id,
    slug: row.slug,
    title: row.title,
    excerpt: row.excerpt,
    contentHtml: row.contentHtml,
    status: row.status,
    publishedAt: wireTime(row.publishedAt),
    updatedAt: wireTime(row.updatedAt),
    readingTimeMinutes: row.readingTimeMinutes,
  }
}
