import { and, asc, eq, gt, inArray, sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import type { Context } from '../context.ts'
import { AppError } from '../core/errors.ts'
import { MAX_TRAINING_ROWS } from '../core/limits.ts'
import { wireTime } from '../core/time.ts'
import { responseSchema } from '../core/zod.ts'
import { contentVersionOf } from '../db/content-version.ts'
import { qualityBands, trainingRows } from '../db/schema.ts'
import { groupByBytes } from './byte-budget.ts'

export const TrainingRow = /* @__PURE__ */ responseSchema(() =>
  z
    .object({
      id: z.uuid(),
      postId: z.nullable(z.uuid()),
      language: z.nullable(z.string()),
      prompt: z.string(),
      completion: z.string(),
      qualityBand: z.nullable(z.enum(qualityBands)),
      createdAt: z.iso.datetime(),
    })
    .register(z.globalRegistry, { id: 'TrainingRow' }),
)

export type TrainingRow = z.infer<typeof TrainingRow>

const { id, postId, language, prompt, completion, qualityBand, createdAt } = trainingRows
const SHOWN = { id, postId, language, prompt, completion, qualityBand, createdAt }

/** Up to 500 rows, oldest first, streamed in parts of 8 MiB. @throws AppError invalid_query if `after` is not a row of the site */
export async function exportTrainingRows(ctx: Context, site: { id: string }, after: string | null) {
  const start = after === null ? undefined : await positionOf(ctx, site, after)
  const index = ctx.db
    .select({ id: trainingRows.id, bytes: trainingRows.wireBytes, position: trainingRows.position })
    .from(trainingRows)
    .where(
      and(
        eq(trainingRows.siteId, site.id),
        trainingRows.optIn,
        start && gt(trainingRows.position, start.position),
      ),
    )
    .orderBy(asc(trainingRows.position))
    .limit(MAX_TRAINING_ROWS + 1)
    .as('index')
  const indexed = await ctx.db
    .select({ contentVersion: contentVersionOf(site.id, 'all'), id: index.id, bytes: index.bytes })
    .from(sql`(select) one`)
    .leftJoin(index, sql`true`)
    .orderBy(asc(index.position))
  ctx.noteVersionRead(indexed[0]!.contentVersion)
  const found = indexed.flatMap(({ id, bytes }) => (id === null ? [] : { id, bytes: bytes! }))
  const shown = found.slice(0, MAX_TRAINING_ROWS)
  return {
    rows: streamRows(ctx, site, shown),
    next: found.length > MAX_TRAINING_ROWS ? shown.at(-1)!.id : null,
  }
}

async function positionOf(ctx: Context, site: { id: string }, id: string) {
  const [row] = await ctx.db
    .select({ position: trainingRows.position })
    .from(trainingRows)
    .where(and(eq(trainingRows.siteId, site.id), eq(trainingRows.id, id)))
  if (!row)
    throw new AppError('invalid_query', { path: 'after', message: 'must be the id of a row of this site' })
  return row
}

async function* streamRows(
  ctx: Context,
  site: { id: string },
  index: { id: string; bytes: number }[],
): AsyncGenerator<TrainingRow> {
  for (const group of groupByBytes(index, (row) => row.bytes)) {
    const ids = group.map((row) => row.id)
    const rows = await ctx.db
      .select({ contentVersion: contentVersionOf(site.id, 'all'), row: SHOWN })
      .from(trainingRows)
      .where(and(eq(trainingRows.siteId, site.id), inArray(trainingRows.id, ids)))
      .orderBy(asc(trainingRows.position))
    ctx.noteVersionRead(rows[0]?.contentVersion)
    yield* rows.map(({ row }) => ({ ...row, createdAt: wireTime(row.createdAt) }))
  }
}
