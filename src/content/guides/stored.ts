/** What a guide is to the operator. */
import { and, eq, like, lt, sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import { guides, postStatuses, type posts } from '../../db/schema.ts'
import { foldCase, likeSubstring } from '../../foundation/fold.ts'
import { wireShape } from '../../foundation/wire-shape.ts'
import { pageValues } from '../articles/page.ts'
import type { StoredKind } from '../articles/stored.ts'
import { findGuides, GuideInput } from '../guides.ts'

export const ListedGuide = /* @__PURE__ */ wireShape(() =>
  z
    .object({
      id: z.uuid(),
      slug: z.string(),
      title: z.string(),
      status: z.enum(postStatuses),
      publishedAt: z.nullable(z.iso.datetime()),
      updatedAt: z.iso.datetime(),
      createdAt: z.iso.datetime(),
    })
    .register(z.globalRegistry, { id: 'ListedGuide' }),
)

export const StoredGuide = /* @__PURE__ */ wireShape(() =>
  z
    .object({
      id: z.uuid(),
      updatedAt: z.iso.datetime(),
      createdAt: z.iso.datetime(),
      guide: GuideInput.check(z.meta({ id: 'GuideBody', description: 'What puts the same guide again' })),
    })
    .register(z.globalRegistry, { id: 'StoredGuide' }),
)

const { id, slug, title, status, publishedAt, updatedAt, createdAt, excerpt, readingTimeMinutes } = guides

export const STORED_GUIDES: StoredKind = {
  noun: 'guide',
  missing: 'guide_not_found',
  table: guides as unknown as typeof posts,
  listed: { id, slug, title, status, publishedAt, updatedAt, createdAt },
  set: { createdAt },
  body: { slug, title, status, excerpt, publishedAt, readingTimeMinutes },
  bytes: sql`${guides.wireBytes}`,
  find(db, site, { limit, cursor, search, status }) {
    const where = and(
      eq(guides.siteId, site.id),
      status === 'all' ? undefined : eq(guides.status, status),
      search ? like(guides.titleFolded, likeSubstring(foldCase(search))) : undefined,
      cursor ? lt(updatedAt, cursor.at) : undefined,
    )
    return {
      page: findGuides(db, where, 'newest').page,
      values: pageValues({ page: 1, pageSize: limit + 1 }),
    }
  },
}
