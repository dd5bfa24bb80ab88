/** Training rows for operators, including those kept out of the export. */
import { and, asc, eq, gt, inArray, type SQL, sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import type { Context } from '../context.ts'
import { requireRole } from '../core/actor.ts'
import { AppError } from '../core/errors.ts'
import { uuidOf } from '../core/ids.ts'
import { wireTime } from '../core/time.ts'
import { responseSchema } from '../core/zod.ts'
import { openCursor, sealCursor } from '../crypto/sealed-cursor.ts'
import { databaseError } from '../db/client.ts'
import type { Page } from '../db/paging.ts'
import { refusalOf, refuse } from '../db/refusals.ts'
import { posts, qualityBands, trainingRows } from '../db/schema.ts'
import type { SiteScope } from '../db/site-scope.ts'
import { writeSite } from '../freshness/write-site.ts'
import { Language } from '../sites/sites.ts'
import { SlugOfPost } from './articles/shared-fields.ts'
import { groupByBytes } from './byte-budget.ts'

export const ListedTrainingRow = /* @__PURE__ */ responseSchema(() =>
  z
    .object({
      id: z.uuid(),
      postId: z.nullable(z.uuid()),
      postSlug: z.nullable(z.string()),
      language: z.nullable(z.string()),
      prompt: z.string(),
      completion: z.string(),
      qualityBand: z.nullable(z.enum(qualityBands)),
      optIn: z.boolean(),
      createdAt: z.iso.datetime(),
    })
    .register(z.globalRegistry, { id: 'ListedTrainingRow' }),
)

export const OptIn = /* @__PURE__ */ responseSchema(() =>
  z.object({ id: z.uuid(), optIn: z.boolean() }).register(z.globalRegistry, { id: 'OptIn' }),
)

export const TrainingRowInput = z
  .strictObject({
    id: z.optional(z.uuid()),
    prompt: z.string().check(z.minLength(1)),
    completion: z.string().check(z.minLength(1)),
    language: z.nullish(Language),
    postSlug: z.nullish(SlugOfPost),
    qualityBand: z.nullish(z.enum(qualityBands)),
    optIn: z.optional(z.boolean()),
  })
  .register(z.globalRegistry, { id: 'TrainingRowInput' })

export type TrainingRowInput = z.infer<typeof TrainingRowInput>

const FOREIGN_ID = 'must not be the id of a row of another site'

/** Skips ids that the site has already, so that an import can be repeated. @throws AppError invalid_body */
export async function addTrainingRows(
  ctx: Context,
  site: SiteScope,
  inputs: TrainingRowInput[],
): Promise<{ added: number }> {
  requireRole(ctx, 'editor')
  const ids = inputs.map(({ id }) => id?.toLowerCase())
  const twice = ids.findIndex((id, index) => id !== undefined && ids.indexOf(id) < index)
  if (twice >= 0) throw refusal(twice, 'id', 'must not be given twice')
  try {
    const rows = await Promise.all(
      inputs.map(async (input) => ({ ...input, ...(await idsOf(ctx, site, input)) })),
    )
    const {
      results: [result],
    } = await writeSite(ctx, site.id, [ctx.db.execute(insert(site, rows))])
    return { added: result.rowCount }
  } catch (error) {
    // Another request took an id after the check.
    if (databaseError(error)?.constraint === 'training_rows_pkey')
      throw new AppError('invalid_body', { path: 'rows', message: FOREIGN_ID })
    const { reason, id, slug } = refusalOf(error) ?? {}
    if (reason === 'id_of_another_site') throw refusal(ids.indexOf(id), 'id', FOREIGN_ID)
    if (reason !== 'target_missing') throw error
    const index = inputs.findIndex(({ postSlug }) => postSlug === slug)
    throw refusal(index, 'postSlug', 'must name a post of this site')
  }
}

const refusal = (index: number, field: string, message: string) =>
  new AppError('invalid_body', { path: `rows[${index}].${field}`, message })

const LIST = 'training-rows'

export const sealPosition = ({ config }: Context, position: number) =>
  sealCursor(config, LIST, String(position))

export async function openPosition({ config }: Context, cursor: string): Promise<number | null> {
  const position = await openCursor(config, LIST, cursor)
  return position === null ? null : Number(position)
}

/** Oldest first. A page is shorter than `limit` if more would not fit in a response from Neon. */
export async function listTrainingRows(
  ctx: Context,
  site: SiteScope,
  { limit, cursor }: { limit: number; cursor: number | null },
): Promise<Page<z.infer<typeof ListedTrainingRow>>> {
  const index = await ctx.db
    .select({ id: trainingRows.id, position: trainingRows.position, bytes: trainingRows.wireBytes })
    .from(trainingRows)
    .where(and(eq(trainingRows.siteId, site.id), gt(trainingRows.position, cursor ?? 0)))
    .orderBy(asc(trainingRows.position))
    .limit(limit + 1)
  const [shown = []] = groupByBytes(index.slice(0, limit), ({ bytes }) => bytes)
  const ids = shown.map((row) => row.id)
  const { id, postId, language, prompt, completion, qualityBand, optIn, createdAt } = trainingRows
  const rows = await ctx.db
    .select({ id, postId, postSlug: posts.slug, language, prompt, completion, qualityBand, optIn, createdAt })
    .from(trainingRows)
    .leftJoin(posts, eq(posts.id, trainingRows.postId))
    .where(and(eq(trainingRows.siteId, site.id), inArray(trainingRows.id, ids)))
    .orderBy(asc(trainingRows.position))
  const next = index.length > shown.length ? await sealPosition(ctx, shown.at(-1)!.position) : null
  return { items: rows.map((row) => ({ ...row, createdAt: wireTime(row.createdAt) })), next }
}

/** @throws AppError training_row_not_found */
export async function removeTrainingRow(ctx: Context, site: SiteScope, id: string): Promise<void> {
  const {
    results: [removed],
  } = await writeSite(ctx, site.id, [
    ctx.db
      .delete(trainingRows)
      .where(and(eq(trainingRows.siteId, site.id), eq(trainingRows.id, id)))
      .returning({ id: trainingRows.id }),
  ])
  if (removed.length === 0) throw new AppError('training_row_not_found')
}

/** Takes effect with the next export. @throws AppError training_row_not_found */
export async function setTrainingOptIn(
  ctx: Context,
  site: SiteScope,
  id: string,
  optIn: boolean,
): Promise<z.infer<typeof OptIn>> {
  const { found } = await setTrainingOptIns(ctx, site, [id], optIn)
  if (found === 0) throw new AppError('training_row_not_found')
  return { id, optIn }
}

export async function setTrainingOptIns(
  ctx: Context,
  site: SiteScope,
  ids: string[],
  optIn: boolean,
): Promise<{ found: number; changed: string[] }> {
  const rows = and(eq(trainingRows.siteId, site.id), inArray(trainingRows.id, ids))
  const {
    results: [found, changed],
  } = await writeSite(ctx, site.id, [
    ctx.db.select({ id: trainingRows.id }).from(trainingRows).where(rows),
    ctx.db
      .update(trainingRows)
      .set({ optIn })
      .where(and(rows, eq(trainingRows.optIn, !optIn)))
      .returning({ id: trainingRows.id }),
  ])
  return { found: found.length, changed: changed.map(({ id }) => id) }
}

/** For operators limited to some sites, we derive the id: refusing a taken one would reveal that another site has it. */
async function idsOf(ctx: Context, site: SiteScope, { id }: TrainingRowInput) {
  if (!id) return {}
  const made = await uuidOf(`${site.id} ${id.toLowerCase()}`)
  return ctx.actor?.sites ? { id: made, otherId: id } : { otherId: made }
}

function insert(site: SiteScope, inputs: (TrainingRowInput & { otherId?: string | undefined })[]): SQL {
  const rows = inputs.map(
    (
      input,
      position,
    ) => sql`(${position}::integer, ${input.id ?? null}::uuid, ${input.otherId ?? null}::uuid, ${input.prompt}::text,
      ${input.completion}::text, ${input.language ?? null}::text, ${input.postSlug ?? null}::text,
      ${input.qualityBand ?? null}::text, ${input.optIn ?? true}::boolean)`,
  )
  return sql`
    insert into ${trainingRows} (id, site_id, post_id, language, prompt, completion, quality_band, opt_in)
    select coalesce(i.id, gen_random_uuid()), ${site.id}::uuid,
      case when i.post_slug is not null and p.id is null
        then ${refuse('target_missing', sql`'slug', i.post_slug`)} else p.id end,
      i.language, i.prompt, i.completion, i.quality_band, i.opt_in
    from (values ${sql.join(rows, sql`, `)})
      i (position, id, other_id, prompt, completion, language, post_slug, quality_band, opt_in)
    left join ${posts} p on p.site_id = ${site.id} and p.slug = i.post_slug
    left join ${trainingRows} t on t.id = i.id
    where not exists (select from ${trainingRows} o where o.id = i.other_id and o.site_id = ${site.id})
      and (t.id is null or (t.site_id <> ${site.id} and ${refuse('id_of_another_site', sql`'id', t.id`)} is not null))
    order by i.position`
}
