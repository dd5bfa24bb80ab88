import * as z from 'zod/mini'
import { Instant } from '../../core/time.ts'
import { responseSchema } from '../../core/zod.ts'
import { type guides, postStatuses, type posts } from '../../db/schema.ts'
import { SLUG, SLUG_RULE, slugProblem } from '../model/slug.ts'
import type { FieldTable } from './field-table.ts'

const RULE = 'Letters, marks and digits of any script, "-", "_", "." and "~"; stored in NFC'

/** Exact for ASCII only: JSON Schema patterns have no flags, so they cannot name the letters of all scripts. */
const SLUG_LIMITS = { minLength: 1, maxLength: 200, pattern: '^(?!\\.{1,2}$)[^\\s!-,/:-@\\[-^`{-}]+$' }

export const SlugOfPost = z.string().check(
  z.normalize('NFC'),
  z.refine((slug) => SLUG.test(slug), SLUG_RULE),
)
export const SLUG_OF_POST_DOCS = { ...SLUG_LIMITS, description: `Slug of a post in this site. ${RULE}` }

export const NewSlug = z.string().check(z.normalize('NFC'), ({ value, issues }) => {
  const message = slugProblem(value)
  if (message) issues.push({ code: 'custom', input: value, message })
})

const INPUT = {
  title: z.string().check(
    z.maxLength(500),
    z.refine((title) => title.trim() !== '', 'must not be blank'),
  ),
  excerpt: z.nullish(z.string().check(z.maxLength(2_000))),
  contentHtml: z.string(),
  status: z.optional(z.enum(postStatuses)),
  publishedAt: z.nullish(Instant),
  // Accepted, so that an article can be put back as it was read.
  updatedAt: z.optional(z.unknown()),
  originId: z.nullish(z.string().check(z.minLength(1), z.maxLength(500))),
  originSlug: z.nullish(z.string().check(z.minLength(1), z.maxLength(500))),
  readingTimeMinutes: z.nullish(z.int().check(z.minimum(0), z.maximum(100_000))),
}

export const pageShape = /* @__PURE__ */ responseSchema(() => ({
  page: z.int(),
  pageSize: z.int(),
  total: z.int(),
  totalPages: z.int(),
}))

export const PARTIAL = 'Has `id`, `slug`, `updatedAt` and the requested `fields`'

export const articleFields = (table: typeof posts | typeof guides) =>
  ({
    id: { column: table.id, shape: z.uuid(), api: 'always' },
    slug: {
      column: table.slug,
      shape: z.string(),
      api: 'always',
      operator: 'listed',
      input: NewSlug,
      docs: { ...SLUG_LIMITS, description: `${RULE}; at most 1,200 characters when percent-encoded` },
      audited: true,
    },
    title: {
      column: table.title,
      shape: z.string(),
      api: 'shown',
      operator: 'listed',
      input: INPUT.title,
      docs: { minLength: 1, pattern: '^\\s*\\S[\\s\\S]*$', description: 'Not blank' },
      put: 'edit',
    },
    excerpt: {
      column: table.excerpt,
      shape: z.nullable(z.string()),
      api: 'shown',
      operator: 'body',
      input: INPUT.excerpt,
      put: 'edit',
    },
    contentHtml: {
      column: table.contentHtml,
      shape: z.string(),
      api: 'shown',
      operator: 'body',
      input: INPUT.contentHtml,
      put: 'edit',
    },
    status: {
      column: table.status,
      shape: z.enum(postStatuses),
      api: 'shown',
      operator: 'listed',
      input: INPUT.status,
      put: 'state',
      audited: true,
    },
    publishedAt: {
      column: table.publishedAt,
      shape: z.nullable(z.iso.datetime()),
      api: 'shown',
      operator: 'listed',
      input: INPUT.publishedAt,
      put: 'state',
      audited: true,
    },
    updatedAt: {
      column: table.updatedAt,
      shape: z.nullable(z.iso.datetime()),
      api: 'always',
      input: INPUT.updatedAt,
      docs: { description: 'Ignored: the service sets it' },
    },
    readingTimeMinutes: {
      column: table.readingTimeMinutes,
      shape: z.nullable(z.int()),
      api: 'shown',
      operator: 'body',
      input: INPUT.readingTimeMinutes,
      put: 'edit',
    },
    originId: {
      column: table.originId,
      shape: z.nullable(z.string()),
      operator: 'listed',
      input: INPUT.originId,
      docs: { description: 'Id of an imported article at its source. Kept if omitted' },
      put: 'state',
      audited: true,
      since: '1.1.0',
    },
    originSlug: {
      column: table.originSlug,
      shape: z.nullable(z.string()),
      operator: 'listed',
      input: INPUT.originSlug,
      docs: { description: 'Slug at the source when last imported. Kept if omitted' },
      put: 'state',
      since: '1.1.0',
    },
    createdAt: { column: table.createdAt, shape: z.iso.datetime(), operator: 'readOnly' },
  }) satisfies FieldTable
