/** What a guide is to the operator. */
import { and, eq, like, lt, sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import { guides } from '../../db/schema.ts'
import { foldCase, likeSubstring } from '../../foundation/fold.ts'
import { wireShape } from '../../foundation/wire-shape.ts'
import { besideShapes, listedShapes } from '../articles/field.ts'
import { pageValues } from '../articles/page.ts'
import type { StoredKind } from '../articles/stored.ts'
import { findGuides, GUIDE, GuideInput } from '../guides.ts'
import { GUIDE_FIELDS } from './fields.ts'

export const ListedGuide = /* @__PURE__ */ wireShape(() =>
  z
    .object({ id: z.uuid(), ...listedShapes(GUIDE_FIELDS), updatedAt: z.iso.datetime() })
    .register(z.globalRegistry, { id: 'ListedGuide' }),
)

export const StoredGuide = /* @__PURE__ */ wireShape(() =>
  z
    .object({
      id: z.uuid(),
      updatedAt: z.iso.datetime(),
      ...besideShapes(GUIDE_FIELDS),
      guide: GuideInput.check(z.meta({ id: 'GuideBody', description: 'What puts the same guide again' })),
    })
    .register(z.globalRegistry, { id: 'StoredGuide' }),
)

export const STORED_GUIDES: StoredKind = {
  ...GUIDE,
  bytes: sql`${guides.wireBytes}`,
  find(db, site, { limit, cursor, search, status }) {
    const where = and(
      eq(guides.siteId, site.id),
      status === 'all' ? undefined : eq(guides.status, status),
      search ? like(guides.titleFolded, likeSubstring(foldCase(search))) : undefined,
      cursor ? lt(guides.updatedAt, cursor.at) : undefined,
    )
    return {
      page: findGuides(db, where, 'newest').page,
      values: pageValues({ page: 1, pageSize: limit + 1 }),
    }
  },
}
