/** The steps that puts of posts and guides share: check, write in one transaction, and report each outcome. */
import { type SQL, sql } from 'drizzle-orm'
import type { BatchItem } from 'drizzle-orm/batch'
import * as z from 'zod/mini'
import type { Context } from '../../context.ts'
import { requireRole } from '../../core/actor.ts'
import { AppError } from '../../core/errors.ts'
import { wireTime } from '../../core/time.ts'
import { responseSchema } from '../../core/zod.ts'
import { databaseError } from '../../db/client.ts'
import { refusalOf, refuse } from '../../db/refusals.ts'
import { guides, postStatuses, posts } from '../../db/schema.ts'
import type { SiteScope } from '../../db/site-scope.ts'
import { type EventMode, writeSite } from '../../freshness/write-site.ts'
import type { ArticleInput, ArticleTable, Kind } from './kind.ts'
import { cancelledBy, cancelledSchedule, isHidden, type State, selectStates } from './update.ts'

export const PutResult = /* @__PURE__ */ responseSchema(() =>
  z
    .object({
      slug: z.string(),
      id: z.uuid(),
      outcome: z.enum(['created', 'updated', 'unchanged']),
      status: z.enum(postStatuses),
      updatedAt: z.iso.datetime(),
      cancelledSchedule,
    })
    .register(z.globalRegistry, { id: 'PutResult' }),
)

export type PutResult = z.infer<typeof PutResult>

export type PutOptions = {
  /** The prefix of an error's path. */
  where?: (index: number) => string
  /** For new articles, by position. */
  ids?: string[] | undefined
  /** `none` drops the optional events. */
  events?: EventMode | undefined
  /** Statements of the same transaction; these may refuse the put. */
  before?: SQL[]
  after?: SQL[]
  /** True if `after` renames the article. */
  isRenamed?: boolean
}

/** `items` has one per input, in the same order. `eventsNotSent` counts the events that `events` left out. */
export type PutResults = { items: PutResult[]; eventsNotSent: number }

export type Put<Input extends ArticleInput> = (
  ctx: Context,
  site: SiteScope,
  inputs: Input[],
  options?: PutOptions,
) => Promise<PutResults>

/** Ids for new articles by slug, so that a restored export keeps its ids. */
export type GivenIds = Record<string, string>

type Where = (index: number) => string

type Checked = { ids: GivenIds; where: Where }

type Writes = {
  upserts: BatchItem<'pg'>[]
  /** Statements that run once the articles are written. */
  afterUpserts?: SQL[]
}

/** One transaction. Calls `write` once the inputs are checked. @throws AppError invalid_body */
export async function putArticles(
  ctx: Context,
  { noun, table }: Kind,
  site: SiteScope,
  inputs: ArticleInput[],
  options: PutOptions,
  write: (checked: Checked) => Writes,
): Promise<PutResults> {
  requireRole(ctx, 'editor')
  const { where = (index) => `${noun}s[${index}].`, events, isRenamed } = options
  const ids = checkInputs(ctx, inputs, where, options.ids)
  const { upserts, afterUpserts = [] } = write({ ids, where })
  const slugs = inputs.map(({ slug }) => slug)
  const toStatements = (queries: SQL[] = []) => queries.map((query) => ctx.db.execute(query))
  const before = toStatements([
    ...checkGivenIds(table, site.id, ids),
    ...checkOrigins(table, site.id, inputs),
    ...(options.before ?? []),
  ])
  const statements = [...before, ...upserts, ...toStatements(afterUpserts)]
  const selection = selectStates(ctx.db, table, site, slugs)
  const toChanges = (results: unknown[]) => {
    const stored = bySlug(results[0])
    const put = bySlug(results[statements.length + 1])
    return slugs.map((slug) => ({ before: stored.get(slug), after: put.get(slug)! }))
  }
  const isHiddenByPut = ({ before, after }: ReturnType<typeof toChanges>[number]) =>
    before && (isHidden({ before, after }) || (isRenamed && before.status === 'published'))
  try {
    const { results, eventsNotSent } = await writeSite(
      ctx,
      site.id,
      [selection, ...statements, selection, ...toStatements(options.after)],
      { sending: events, hidesPublished: (all) => toChanges(all).some(isHiddenByPut) },
    )
    return { items: toChanges(results).map(toResult), eventsNotSent }
  } catch (error) {
    throw toInputError(error, inputs, where)
  }
}

const bySlug = (rows: unknown) => new Map((rows as State[]).map((row) => [row.slug, row]))

/** A put without a visible change keeps `updatedAt`. */
function toResult({ before, after }: { before: State | undefined; after: State }): PutResult {
  const isUpdated = before?.updatedAt.getTime() !== after.updatedAt.getTime()
  return {
    slug: after.slug,
    id: after.id,
    outcome: !before ? 'created' : isUpdated ? 'updated' : 'unchanged',
    status: after.status,
    updatedAt: wireTime(after.updatedAt),
    ...(before && cancelledBy({ before, after })),
  }
}

/** Only operators with access to all sites may send ids: refusing a taken id would reveal that another site has it. @throws AppError invalid_body; role_required */
function checkInputs(
  { actor }: Context,
  inputs: ArticleInput[],
  where: Where,
  ids: string[] | undefined,
): GivenIds {
  for (const name of ['slug', 'originId'] as const) {
    const values = inputs.map((input) => input[name] ?? null)
    const first = values.findIndex((value, index) => value !== null && values.lastIndexOf(value) > index)
    if (first >= 0) throw givenTwice(`${where(first)}${name}`)
  }
  if (!ids) return {}
  if (actor?.sites)
    throw new AppError('role_required', {
      path: '',
      message: '`ids` are only for people who reach all sites',
    })
  const kept = ids.map((id) => id.toLowerCase())
  const second = kept.findIndex((id, index) => kept.indexOf(id) < index)
  if (second >= 0) throw givenTwice(`ids[${second}]`)
  return Object.fromEntries(inputs.map(({ slug }, index) => [slug, kept[index]!]))
}

const givenTwice = (path: string) => invalid(path, 'must not be given twice')

const invalid = (path: string, message: string) => new AppError('invalid_body', { path, message })

function checkGivenIds(table: ArticleTable, siteId: string, ids: GivenIds): SQL[] {
  if (Object.keys(ids).length === 0) return []
  return [
    sql`
  select case when e.id is null then ${refuse('id_taken', sql`'slug', k.slug`)} else ${refuse('id_not_of_slug', sql`'slug', k.slug`)} end
  from (select key as slug, value::uuid as id from jsonb_each_text(${JSON.stringify(ids)}::jsonb)) k
  left join ${table} e on e.site_id = ${siteId} and e.slug = k.slug
  where e.id <> k.id or e.id is null
    and (exists (select from ${posts} where id = k.id) or exists (select from ${guides} where id = k.id))`,
  ]
}

/** An origin is the id of an imported article at its source. */
function checkOrigins(table: ArticleTable, siteId: string, inputs: ArticleInput[]): SQL[] {
  const origins = inputs.flatMap(({ slug, originId }) => (originId == null ? [] : { slug, origin: originId }))
  if (origins.length === 0) return []
  return [
    sql`
    select ${refuse('origin_taken', sql`'slug', k.slug`)}
    from jsonb_to_recordset(${JSON.stringify(origins)}::jsonb) as k (slug text, origin text)
    join ${table} e on e.site_id = ${siteId} and e.origin_id = k.origin
    where e.slug <> k.slug`,
  ]
}

const ID_TAKEN = 'must not be the id of another post or guide'

function toInputError(error: unknown, inputs: ArticleInput[], where: Where): unknown {
  // Another request took one after the check.
  if (['posts_pkey', 'guides_pkey'].includes(databaseError(error)?.constraint ?? ''))
    return invalid('ids', ID_TAKEN)
  const refusal = refusalOf(error)
  const index = inputs.findIndex(({ slug }) => slug === refusal?.slug)
  const source = inputs[index]?.sourceSlug ? 'sourceSlug' : 'sourcePostId'
  switch (refusal?.reason) {
    case 'changed_meanwhile':
      return new AppError('changed_meanwhile')
    case 'id_taken':
      return invalid(`ids[${index}]`, ID_TAKEN)
    case 'id_not_of_slug':
      return invalid(`ids[${index}]`, 'must match the id stored under this slug')
    case 'origin_taken':
      return invalid(`${where(index)}originId`, 'must not belong to another article')
    case 'source_missing':
      return invalid(`${where(index)}${source}`, 'must name a post of this site')
    case 'source_is_translation':
      return invalid(`${where(index)}${source}`, 'must not be a translation of this post')
    case 'source_circle':
      return invalid(`${where(index)}${source}`, 'must not lead back to the post itself')
    default:
      return error
  }
}
