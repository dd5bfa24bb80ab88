/** The fields that posts and guides share: what callers may write, and what the API shows. */
import * as z from 'zod'
import { type guides, postStatuses } from '../db/schema.ts'
import { slugProblem } from '../slug.ts'
import { Instant, wireTime } from '../time.ts'

export const writable = {
  slug: z.string().check(({ value, issues }) => {
    const message = slugProblem(value)
    if (message) issues.push({ code: 'custom', input: value, message })
  }),
  title: z
    .string()
    .max(500)
    .refine((title) => title.trim() !== '', 'must not be blank'),
  contentHtml: z.string(),
  excerpt: z.string().max(2_000).nullish(),
  status: z.enum(postStatuses).optional(),
  publishedAt: Instant.nullish(),
  readingTimeMinutes: z.int().min(0).max(100_000).nullish(),
  // Set by the service. Accepted and ignored, so that an article can be put back as it was read.
  updatedAt: z.unknown().optional(),
}

export const shown = {
  id: z.uuid(),
  slug: z.string(),
  title: z.string(),
  excerpt: z.string().nullable(),
  contentHtml: z.string(),
  status: z.enum(postStatuses),
  publishedAt: z.iso.datetime().nullable(),
  updatedAt: z.iso.datetime().nullable(),
  readingTimeMinutes: z.int().nullable(),
}

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
