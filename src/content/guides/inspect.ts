import { and, eq, sql } from 'drizzle-orm'
import type { Context } from '../../context.ts'
import { AppError } from '../../core/errors.ts'
import { guides } from '../../db/schema.ts'
import { type ResourceEntry, selectResourceEntries } from '../../people/audit-log.ts'
import { apiColumns, articleJson } from '../articles/field-table.ts'
import { requireSlug } from '../articles/kind.ts'
import {
  type Neighbours,
  type NeighboursInput,
  selectNeighbours,
  toNeighbours,
} from '../articles/neighbours.ts'
import { selectRevisionTimes } from '../articles/revisions.ts'
import { GUIDE, GUIDE_FIELDS, type Guide } from './guide.ts'

export type InspectedGuide = {
  guide: Guide
  createdAt: Date
  entries: ResourceEntry[]
  /** The times of edits whose old values are kept. */
  revisions: Date[]
  neighbours: Neighbours
}

/** One database call, also for drafts. @throws AppError guide_not_found */
export async function inspectGuide(
  ctx: Context,
  site: { id: string },
  slugText: string,
  list: NeighboursInput,
): Promise<InspectedGuide> {
  const slug = requireSlug(GUIDE, slugText)
  const isGuide = and(eq(guides.siteId, site.id), eq(guides.slug, slug))
  const guideId = sql`(select ${guides.id} from ${guides} where ${isGuide})`
  const [[row], entries, neighbours, revisions] = await ctx.db.batch([
    ctx.db
      .select({ ...apiColumns(GUIDE_FIELDS, null), createdAt: guides.createdAt })
      .from(guides)
      .where(isGuide),
    selectResourceEntries(ctx, guideId),
    ctx.db.execute(selectNeighbours(GUIDE, site, slug, list)),
    selectRevisionTimes(ctx, site, guideId),
  ])
  if (!row) throw new AppError(GUIDE.missing)
  const { createdAt, ...columns } = row
  return {
    guide: JSON.parse(articleJson(columns)) as Guide,
    createdAt,
    entries,
    revisions: revisions.map(({ at }) => at),
    neighbours: toNeighbours(neighbours.rows),
  }
}
