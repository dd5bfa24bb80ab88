import { and, eq } from 'drizzle-orm'
import type { Context } from '../../context.ts'
import { AppError } from '../../core/errors.ts'
import { guides } from '../../db/schema.ts'
import { apiColumns, articleJson } from '../articles/field-table.ts'
import { requireSlug } from '../articles/kind.ts'
import {
  type Neighbours,
  type NeighboursInput,
  selectNeighbours,
  toNeighbours,
} from '../articles/neighbours.ts'
import { GUIDE, GUIDE_FIELDS, type Guide } from './guide.ts'

/** One database call, also for drafts. @throws AppError guide_not_found */
export async function inspectGuide(
  ctx: Context,
  site: { id: string },
  slugText: string,
  list: NeighboursInput,
): Promise<{ guide: Guide; neighbours: Neighbours }> {
  const slug = requireSlug(GUIDE, slugText)
  const [[row], neighbours] = await ctx.db.batch([
    ctx.db
      .select(apiColumns(GUIDE_FIELDS, null))
      .from(guides)
      .where(and(eq(guides.siteId, site.id), eq(guides.slug, slug))),
    ctx.db.execute(selectNeighbours(GUIDE, site, slug, list)),
  ])
  if (!row) throw new AppError(GUIDE.missing)
  return { guide: JSON.parse(articleJson(row)) as Guide, neighbours: toNeighbours(neighbours.rows) }
}
