/** Training rows: prompt and completion pairs. Only opted-in rows are exported. */
import { and, asc, eq, gt, inArray, type SQL, sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import { SlugOfPost } from './articles/fields.ts'
import { groupByBytes } from './byte-budget.ts'
import type { Context } from './context.ts'
import { databaseError } from './db/client.ts'
import { posts, qualityBands, trainingRows } from './db/schema.ts'
import { AppError } from './errors.ts'
import { writeSite } from './site-versions.ts'
import { Language, type SiteScope } from './sites.ts'
import { wireTime } from './time.ts'
import { wireShape } from './wire-shape.ts'

export const EXPORT_ROWS = 500

export const TrainingRow = /* @__PURE__ */ wireShape(() =>
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

export const TrainingRowInput = z
  .strictObject({
    prompt: z.string().check(z.minLength(1)),
    completion: z.string().check(z.minLength(1)),
    language: z.nullish(Language),
    postSlug: z.nullish(SlugOfPost),
    qualityBand: z.nullish(z.enum(qualityBands)),
    optIn: z.optional(z.boolean()),
  })
  .register(z.globalRegistry, { id: 'TrainingRowInput' })

export type TrainingRowInput = z.infer<typeof TrainingRowInput>

/** Appends rows in one transaction. @throws AppError invalid_body when a postSlug is not a post of the site */
export async function addTrainingRows(
  ctx: Context,
  site: SiteScope,
  inputs: TrainingRowInput[],
): Promise<{ added: number }> {
  try {
    await writeSite(ctx, site.id, [ctx.db.execute(insert(site, inputs))])
  } catch (error) {
    const problem = databaseError(error)
    if (problem?.code !== 'HC001') throw error
    const index = inputs.findIndex((input) => input.postSlug === problem.detail)
    throw new AppError('invalid_body', { path: `rows[${index}].postSlug`, message: problem.message })
  }
  return { added: inputs.length }
}

/**
 * Up to 500 opted-in rows after the row with the id `after`, oldest first. `rows` is a stream that holds at most 8 MiB
 * at a time.
 *
 * @returns `next` is the id to continue after, or null at the end
 * @throws AppError invalid_query when `after` is not a row of the site
 */
export async function exportTrainingRows(ctx: Context, site: { id: string }, after: string | null) {
  const start = after === null ? undefined : await positionOf(ctx, site, after)
  const index = await ctx.db
    .select({ id: trainingRows.id, bytes: trainingRows.wireBytes })
    .from(trainingRows)
    .where(
      and(
        eq(trainingRows.siteId, site.id),
        trainingRows.optIn,
        start && gt(trainingRows.position, start.position),
      ),
    )
    .orderBy(asc(trainingRows.position))
    .limit(EXPORT_ROWS + 1)
  const shown = index.slice(0, EXPORT_ROWS)
  return { rows: streamRows(ctx, site, shown), next: index.length > EXPORT_ROWS ? shown.at(-1)!.id : null }
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
      .select()
      .from(trainingRows)
      .where(and(eq(trainingRows.siteId, site.id), inArray(trainingRows.id, ids)))
      .orderBy(asc(trainingRows.position))
    yield* rows.map(toTrainingRow)
  }
}

function insert(site: SiteScope, inputs: TrainingRowInput[]): SQL {
  const rows = inputs.map(
    (input, position) => sql`(${position}::integer, ${input.prompt}::text, ${input.completion}::text,
      ${input.language ?? null}::text, ${input.postSlug ?? null}::text, ${input.qualityBand ?? null}::text,
      ${input.optIn ?? true}::boolean)`,
  )
  return sql`
    insert into ${trainingRows} (site_id, post_id, language, prompt, completion, quality_band, opt_in)
    select ${site.id}::uuid,
      case when i.post_slug is not null and p.id is null
        then refuse_source(i.post_slug, 'must name a post of this site') else p.id end,
      i.language, i.prompt, i.completion, i.quality_band, i.opt_in
    from (values ${sql.join(rows, sql`, `)}) i (position, prompt, completion, language, post_slug, quality_band, opt_in)
    left join ${posts} p on p.site_id = ${site.id} and p.slug = i.post_slug
    order by i.position`
}

function toTrainingRow(row: typeof trainingRows.$inferSelect): TrainingRow {
  return {
    id: row.id,
    postId: row.postId,
    language: row.language,
    prompt: row.prompt,
    completion: row.completion,
    qualityBand: row.qualityBand,
    createdAt: wireTime(row.createdAt),
  }
}
