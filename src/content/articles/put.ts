/** Putting articles: a bulk insert or update by slug that leaves unchanged ones alone. */
import { type SQL, sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import { postStatuses } from '../../db/schema.ts'
import type { Context } from '../../foundation/context.ts'
import { AppError } from '../../foundation/errors.ts'
import { FOLD_VERSION, foldCase } from '../../foundation/fold.ts'
import { wireShape } from '../../foundation/wire-shape.ts'
import { type Sending, writeSite } from '../../freshness/write-site.ts'
import type { SiteScope } from '../../sites/sites.ts'
import { type PutField, putFields } from './field.ts'
import { checkKeptIds, type KeptIds, keptIdProblem, keptIds, newId } from './kept-ids.ts'
import type { ArticleInput, PutKind } from './kind.ts'
import { checkOrigins, originProblem } from './origins.ts'
import { changedProblem } from './unchanged.ts'

/** For the answers of writes that may end a schedule. */
export const cancelledSchedule = z.optional(
  z.iso
    .datetime()
    .check(
      z.describe('Only if the write has cancelled a schedule: when the post was to have been published'),
    ),
)

export const PutResult = /* @__PURE__ */ wireShape(() =>
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
  /** The prefix of the path that an error names. */
  where?: (index: number) => string
  /** By position, what new articles get as their ids. */
  ids?: string[] | undefined
  /** Whether the events are sent that can be switched off. */
  events?: Sending | undefined
  /** Statements in its transaction. `before` may refuse it. */
  around?: { before: SQL[]; after: SQL[] }
}

type Steps<Input> = {
  /** The inputs as one statement each can take them: it does not see the rows that it inserts. */
  levels?: Input[][]
  /** Statements after them. */
  after?: SQL[]
}

/** By position, and how many events were not sent, since `events` said so. */
export type PutResults = PutResult[] & { eventsNotSent: number }

/**
 * Writes up to 100 articles in one transaction. `status` and `publishedAt` are kept if left out; other fields are derived
 * or cleared.
 *
 * @returns one result per input, in the same order, and how many events were not sent
 * @throws AppError invalid_body when a slug or an id is given twice, or an id is another's
 */
export async function putArticles<Input extends ArticleInput>(
  ctx: Context,
  kind: PutKind<Input>,
  site: SiteScope,
  inputs: Input[],
  { where = (index) => `${kind.noun}s[${index}].`, ids, events = 'all', around }: PutOptions,
  steps: () => Steps<Input> = () => ({}),
): Promise<PutResults> {
  const slugs = inputs.map(({ slug }) => slug)
  refuseTwice(slugs, (index) => `${where(index)}slug`)
  const origins = inputs.map(({ originId }) => originId ?? null)
  refuseTwice(origins, (index) => `${where(index)}originId`)
  const { levels = [inputs], after = [] } = steps()
  const kept = keptIds(ctx, slugs, ids)
  const checks = [
    ...(ids ? [checkKeptIds(kind.table, site.id, kept)] : []),
    ...checkOrigins(kind, site.id, inputs),
    ...(around?.before ?? []),
  ]
  const puts = levels.map((level) => upsert(kind, site, level, kept))
  try {
    const [first, ...others] = [...checks, ...puts, ...after, ...(around?.after ?? [])].map((statement) =>
      ctx.db.execute(statement),
    )
    const { results, eventsNotSent } = await writeSite(ctx, site.id, [first!, ...others], {
      sending: events,
      takes: (written) => written.some(({ rows }) => rows.some(({ taken }) => taken)),
    })
    const rows = results.slice(checks.length, checks.length + puts.length).flatMap((result) => result.rows)
    return Object.assign(takeResults(slugs, rows as PutResult[]), { eventsNotSent })
  } catch (error) {
    throw keptIdProblem(error, slugs) ?? originProblem(error, slugs, where) ?? changedProblem(error) ?? error
  }
}

function refuseTwice(values: (string | null)[], path: (index: number) => string): void {
  const twice = values.findIndex((value, index) => value !== null && values.lastIndexOf(value) !== index)
  if (twice >= 0)
    throw new AppError('invalid_body', { path: path(twice), message: 'must not be given twice' })
}

/** The rows of all put statements in the order of `slugs`. */
function takeResults(slugs: string[], rows: PutResult[]): PutResult[] {
  const bySlug = new Map(rows.map((row) => [row.slug, row]))
  return slugs.map((slug) => {
    const { id, outcome, status, updatedAt, cancelledSchedule } = bySlug.get(slug)!
    return {
      slug,
      id,
      outcome,
      status,
      updatedAt: new Date(updatedAt).toISOString(),
      ...(cancelledSchedule && { cancelledSchedule }),
    }
  })
}

/** Inserts or updates articles by slug and skips unchanged ones. Returns a `PutResult` for each, and whether it took one from the public. */
function upsert<Input extends ArticleInput>(
  kind: PutKind<Input>,
  site: SiteScope,
  inputs: Input[],
  ids: KeptIds,
): SQL {
  const { table, joins, uponEdit, schedule } = kind
  const given = putFields(kind.fields)
  const written = given.filter(({ put }) => put)
  const rowOf = rowWriter(['integer', 'text', ...given.map(({ type }) => type)])
  const rows = inputs.map((input, position) => {
    const values: Record<string, unknown> = { ...input, ...folded(input), ...kind.derive(site, input) }
    return rowOf([position, input.slug, ...given.map(({ name, type }) => literal(values[name], type))])
  })
  const list = (fields: PutField[], write: (field: PutField) => string, separator = ', ') =>
    sql.raw(fields.map(write).join(separator))
  const sqlName = ({ sqlName }: PutField) => sqlName
  const differs = ({ sqlName, differs }: PutField) => differs ?? `e.${sqlName} is distinct from w.${sqlName}`
  const columns = list(written, sqlName)
  const changed = list(
    written.filter(({ put }) => put !== 'along'),
    differs,
    ' or ',
  )
  const edited = list(
    written.filter(({ put }) => put === 'edit'),
    differs,
    ' or ',
  )
  const following = uponEdit.map(([{ name }, value]) => ({
    name: `${name}, `,
    value: `case when edit.is_edit then ${value} else e.${name} end, `,
    update: `${name} = excluded.${name}, `,
  }))
  const followingAs = (part: 'name' | 'value' | 'update') =>
    sql.raw(following.map((each) => each[part]).join(''))
  return sql`
    with input (position, slug, ${list(given, sqlName)}) as (values ${sql.join(rows, sql`, `)}),
    wanted as (
      select i.position, e.id as existing_id, i.slug,
        ${list(written, ({ sqlName, wanted }) => `${wanted ?? `i.${sqlName}`} as ${sqlName}`)}
      from input i
      left join ${table} e on e.site_id = ${site.id} and e.slug = i.slug
      ${joins(site)}
    ),
    written as (
      insert into ${table} (id, site_id, slug, ${followingAs('name')}${columns})
      select ${newId(ids, sql`w.slug`)}, ${site.id}::uuid, w.slug, ${followingAs('value')}${list(written, ({ sqlName }) => `w.${sqlName}`)}
      from wanted w left join ${table} e on e.id = w.existing_id
      -- Once for all columns that follow it: without OFFSET 0 Postgres would put it in place of each.
      cross join lateral (select ${edited} as is_edit offset 0) edit
      where w.existing_id is null or ${changed}
      order by w.position
      on conflict (site_id, slug) do update set
        ${followingAs('update')}${list(written, ({ sqlName }) => `${sqlName} = excluded.${sqlName}`)}
      returning id, slug, status, updated_at${schedule ? sql`, publish_at` : sql``}
    )
    select w.slug, coalesce(n.id, e.id) as id, coalesce(n.status, e.status) as status,
      coalesce(n.updated_at, e.updated_at) as "updatedAt",
      case when n.id is null or n.updated_at = e.updated_at then 'unchanged'
        when w.existing_id is null then 'created' else 'updated' end as outcome,
      ${schedule ? sql`case when n.id is not null then ${schedule.cancelled(sql`e`, sql`n`)} end` : sql`null`} as "cancelledSchedule",
      coalesce(e.status = 'published' and n.status = 'draft', false) as taken
    from wanted w
    left join written n on n.slug = w.slug
    left join ${table} e on e.id = w.existing_id`
}

const folded = ({ title }: ArticleInput) => ({
  titleFolded: foldCase(title),
  foldedFrom: title,
  foldVersion: FOLD_VERSION,
})

function literal(value: unknown, type: string): unknown {
  if (value == null) return null
  return value instanceof Date ? value.toISOString() : type === 'jsonb' ? JSON.stringify(value) : value
}

/** Writes `($1::integer, $2::text, ...)`. Its template is made once, since Drizzle takes long for a row of small parts. */
function rowWriter(types: string[]): (values: unknown[]) => SQL {
  const parts = ['(', ...types.map((type, at) => `::${type}${at + 1 < types.length ? ', ' : ')'}`)]
  const template = Object.assign(parts, { raw: parts })
  return (values) => sql(template, ...values)
}
