/** Training rows for the console: lists with the start of each prompt, and one whole row. */
import { and, asc, eq, gt, type SQL, sql } from 'drizzle-orm'
import { posts, trainingRows } from '../../db/schema.ts'
import type { Context } from '../../foundation/context.ts'
import { AppError } from '../../foundation/errors.ts'
import type { SiteScope } from '../../sites/sites.ts'

/** Characters of a prompt in a list. */
const START = 120

const { id, position, prompt, completion, language, qualityBand, optIn, createdAt } = trainingRows

const shown = { id, position, optIn, createdAt, postSlug: posts.slug }
const start = sql<string>`case when length(${prompt}) > ${START} then left(${prompt}, ${START}) || '…' else ${prompt} end`

/** Oldest first, after the row at `cursor`, in one statement. */
export async function browseTrainingRows(
  ctx: Context,
  site: SiteScope,
  { limit, cursor }: { limit: number; cursor: number | null },
) {
  const rows = await ctx.db
    .select({ ...shown, prompt: start })
    .from(trainingRows)
    .leftJoin(posts, eq(posts.id, trainingRows.postId))
    .where(rowsOf(site, gt(position, cursor ?? 0)))
    .orderBy(asc(position))
    .limit(limit + 1)
  const items = rows.slice(0, limit)
  return { items, next: rows.length > limit ? items.at(-1)!.position : null }
}

/** @throws AppError training_row_not_found */
export async function getTrainingRow(ctx: Context, site: SiteScope, rowId: string) {
  const [row] = await ctx.db
    .select({ ...shown, prompt, completion, language, qualityBand })
    .from(trainingRows)
    .leftJoin(posts, eq(posts.id, trainingRows.postId))
    .where(rowsOf(site, eq(id, rowId)))
  if (!row) throw new AppError('training_row_not_found')
  return row
}

const rowsOf = (site: SiteScope, which: SQL) => and(eq(trainingRows.siteId, site.id), which)
