import { and, asc, count, eq, gt, ilike, isNull, type SQL, sql } from 'drizzle-orm'
import type { Context } from '../../context.ts'
import { AppError } from '../../core/errors.ts'
import { likeSubstring, wordsOf } from '../../core/fold.ts'
import { posts, type qualityBands, trainingRows } from '../../db/schema.ts'
import type { SiteScope } from '../../db/site-scope.ts'
import { sealPosition } from '../training-rows.ts'

const PROMPT_CHARACTERS = 120

const { id, position, prompt, completion, language, qualityBand, optIn, createdAt } = trainingRows

const shown = { id, position, optIn, createdAt, postSlug: posts.slug }
const start = sql<string>`case when length(${prompt}) > ${PROMPT_CHARACTERS} then left(${prompt}, ${PROMPT_CHARACTERS}) || '…' else ${prompt} end`

/** Counting stops here. */
export const MAX_COUNTED_ROWS = 10_000

export type TrainingFilter = {
  /** Words of the prompt, in any order. */
  search?: string | null | undefined
  optIn?: 'in' | 'out' | undefined
  /** In any case; `none` for rows without one. */
  language?: string | undefined
  band?: (typeof qualityBands)[number] | undefined
}

/** Oldest first, with a count up to `MAX_COUNTED_ROWS`, in one call. */
export async function browseTrainingRows(
  ctx: Context,
  site: SiteScope,
  { limit, cursor }: { limit: number; cursor: number | null },
  filter: TrainingFilter = {},
) {
  const matching = matches(filter)
  const counted = ctx.db
    .select({ id })
    .from(trainingRows)
    .where(rowsOf(site, matching))
    .limit(MAX_COUNTED_ROWS)
    .as('counted')
  const [rows, [total]] = await ctx.db.batch([
    ctx.db
      .select({ ...shown, language, qualityBand, prompt: start })
      .from(trainingRows)
      .leftJoin(posts, eq(posts.id, trainingRows.postId))
      .where(rowsOf(site, and(gt(position, cursor ?? 0), matching)))
      .orderBy(asc(position))
      .limit(limit + 1),
    ctx.db.select({ count: count() }).from(counted),
  ])
  const items = rows.slice(0, limit)
  return {
    items,
    next: rows.length > limit ? await sealPosition(ctx, items.at(-1)!.position) : null,
    count: total!.count,
  }
}

function matches({ search, optIn: state, language: code, band }: TrainingFilter): SQL | undefined {
  const isIn = (word: string) => ilike(prompt, likeSubstring(word))
  return and(
    ...wordsOf(search ?? '').map(isIn),
    state && eq(optIn, state === 'in'),
    code ? isOfLanguage(code.toLowerCase()) : undefined,
    band && eq(qualityBand, band),
  )
}

const isOfLanguage = (code: string) =>
  code === 'none' ? isNull(language) : sql`lower(${language}) = ${code}`

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

const rowsOf = (site: SiteScope, which: SQL | undefined) => and(eq(trainingRows.siteId, site.id), which)
