/** Guides: wire shape, reading and writing. */
import { and, eq, inArray, type SQL, sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import type { Database } from '../db/client.ts'
import { contentVersionOf } from '../db/content-version.ts'
import { prepared } from '../db/prepared.ts'
import { guides } from '../db/schema.ts'
import type { Context } from '../foundation/context.ts'
import { AppError } from '../foundation/errors.ts'
import { foldCase } from '../foundation/fold.ts'
import { parseSlug } from '../foundation/slug.ts'
import { wireShape } from '../foundation/wire-shape.ts'
import { writeSite } from '../freshness/site-versions.ts'
import type { SiteScope } from '../sites/sites.ts'
import {
  articleJson,
  type Fields,
  isAsked,
  PARTIAL,
  shown,
  shownColumns,
  wireColumns,
  writable,
} from './articles/fields.ts'
import { checkKeptIds, type KeptIds, keptIdProblem, keptIds, newId } from './articles/kept-ids.ts'
import {
  type ArticlePage,
  foundBy,
  limitAndOffset,
  type Order,
  orderBy,
  pageShape,
  pageValues,
  selectPage,
  toPage,
} from './articles/page.ts'
import { renameArticle, setPublication } from './articles/publication.ts'
import { type PutResult, takeResults } from './articles/put-result.ts'
import { deriveText } from './articles/text.ts'

export const Guide = /* @__PURE__ */ wireShape(() =>
  z.object(shown).register(z.globalRegistry, { id: 'Guide' }),
)

export type Guide = z.infer<typeof Guide>

/** Of `fields`. */
export const PartialGuide = /* @__PURE__ */ wireShape(() => {
  const { id, slug, updatedAt } = Guide.shape
  return z
    .extend(z.partial(Guide), { id, slug, updatedAt })
    .register(z.globalRegistry, { id: 'PartialGuide', description: PARTIAL })
})

export const GuideInput = z.strictObject(writable)

export type GuideInput = z.infer<typeof GuideInput>

const SET = ['title', 'excerpt', 'content_html', 'status', 'published_at', 'reading_time_minutes']

/** As for posts. */
const FOLDED = ['title_folded', 'folded_from']

export const GuideList = /* @__PURE__ */ wireShape(() =>
  z.object({ items: z.array(Guide), ...pageShape }).register(z.globalRegistry, { id: 'GuideList' }),
)

const guideColumns = (fields: Fields) => wireColumns(guides, shownColumns(guides), fields)

/** JSON bytes of the heavy field, if it is asked for. */
export const guideBytes = (fields: Fields): SQL =>
  isAsked(fields, 'contentHtml') ? sql`${guides.wireBytes}` : sql`0`

const selectGuide = prepared((db, { drafts }: { drafts: boolean }) =>
  db
    .select({ ...guideColumns(null), contentVersion: contentVersionOf(sql.placeholder('siteId')) })
    .from(guides)
    .where(
      and(
        eq(guides.siteId, sql.placeholder('siteId')),
        eq(guides.slug, sql.placeholder('slug')),
        drafts ? undefined : eq(guides.status, 'published'),
      ),
    ),
)

/** JSON of a published guide, or with `drafts` of any guide. @throws AppError guide_not_found */
export async function getGuide(
  ctx: Context,
  site: { id: string },
  written: string,
  options: { drafts: boolean } = { drafts: false },
): Promise<string> {
  const slug = parseSlug(written)
  if (!slug) throw new AppError('guide_not_found')
  const [row] = await selectGuide(ctx.db, options).execute({ siteId: site.id, slug })
  if (!row) throw new AppError('guide_not_found')
  ctx.sawContentVersion(row.contentVersion)
  return articleJson(row)
}

/** Those of the guides that are published. */
export function guidesById(ctx: Context, site: { id: string }, ids: string[], fields: Fields) {
  return ctx.db
    .select({ id: guides.id, contentVersion: contentVersionOf(site.id), ...guideColumns(fields) })
    .from(guides)
    .where(and(eq(guides.siteId, site.id), eq(guides.status, 'published'), inArray(guides.id, ids)))
}

const selectGuides = prepared((db, { order }: { order: Order }) => {
  const where = and(
    eq(guides.siteId, sql.placeholder('siteId')),
    eq(guides.status, 'published'),
    order === 'oldest'
      ? sql`${guides.updatedAt} > ${sql.placeholder('updatedAfter')}::timestamptz`
      : undefined,
  )
  const kind = { table: guides, columns: guideColumns(null), bytes: guideBytes(null) }
  return selectPage(db, kind, findGuides(db, where, order), order)
})

/** Published guides, newest `updatedAt` first; with `updatedAfter` oldest first. */
export async function listGuides(
  ctx: Context,
  site: { id: string },
  input: { page: number; pageSize: number; updatedAfter: string | null },
): Promise<ArticlePage> {
  const { updatedAfter } = input
  const statement = selectGuides(ctx.db, { order: updatedAfter ? 'oldest' : 'newest' })
  const rows = await statement.execute({ siteId: site.id, updatedAfter, ...pageValues(input) })
  return toPage(ctx, rows, input, (ids) => guidesById(ctx, site, ids, null))
}

/** The CTEs of `foundBy`. */
export function findGuides(db: Database, where: SQL | undefined, order: Order) {
  const rows = sql`${guides} where ${where}`
  return foundBy(db, {
    total: sql`select count(*)::integer as total from ${rows}`,
    page: sql`select updated_at from ${rows} order by ${orderBy(order, 'guides')} ${limitAndOffset}`,
  })
}

/**
 * Inserts or updates up to 100 guides by slug in one transaction and skips unchanged ones. `status` and `publishedAt`
 * are kept if left out. `ids` are, by position, what new guides get as their ids.
 *
 * @returns one result per input, in the same order
 * @throws AppError invalid_body when a slug or an id is given twice, or an id is another's
 */
export async function putGuides(
  ctx: Context,
  site: SiteScope,
  inputs: GuideInput[],
  { ids }: { ids?: string[] | undefined } = {},
): Promise<PutResult[]> {
  const slugs = inputs.map((input) => input.slug)
  const twice = slugs.findIndex((slug, index) => slugs.indexOf(slug) !== index)
  if (twice >= 0) {
    throw new AppError('invalid_body', { path: `guides[${twice}].slug`, message: 'must not be given twice' })
  }
  const kept = keptIds(slugs, ids)
  const statement = ctx.db.execute(upsert(site, inputs, kept))
  const check = ctx.db.execute(checkKeptIds(guides, site.id, kept))
  try {
    const results = await writeSite(ctx, site.id, ids ? [check, statement] : [statement])
    return takeResults(slugs, results.slice(-1))
  } catch (error) {
    throw keptIdProblem(error, slugs) ?? error
  }
}

/** Publishes or unpublishes a guide. Changes nothing if it has that status already. @throws AppError guide_not_found */
export async function setGuideStatus(
  ctx: Context,
  site: SiteScope,
  written: string,
  status: 'draft' | 'published',
) {
  const slug = parseSlug(written)
  const publication = slug && (await setPublication(ctx, guides, site.id, slug, status))
  if (!publication) throw new AppError('guide_not_found')
  return publication
}

/** @throws AppError guide_not_found; slug_taken */
export async function renameGuide(ctx: Context, site: SiteScope, written: string, renamed: string) {
  const slug = parseSlug(written)
  const guide = slug && (await renameArticle(ctx, guides, site.id, slug, renamed))
  if (!guide) throw new AppError('guide_not_found')
  return guide
}

/** @throws AppError guide_not_found */
export async function deleteGuide(ctx: Context, site: SiteScope, written: string): Promise<void> {
  const slug = parseSlug(written)
  if (!slug) throw new AppError('guide_not_found')
  const here = and(eq(guides.siteId, site.id), eq(guides.slug, slug))
  const [deleted] = await writeSite(ctx, site.id, [
    ctx.db.delete(guides).where(here).returning({ id: guides.id }),
  ])
  if (deleted.length === 0) throw new AppError('guide_not_found')
}

function upsert(site: SiteScope, inputs: GuideInput[], ids: KeptIds): SQL {
  const rows = sql.join(inputs.map(values), sql`, `)
  const each = (write: (column: string) => string) => sql.raw([...SET, ...FOLDED].map(write).join(', '))
  const changed = sql.raw(SET.map((column) => `e.${column} is distinct from w.${column}`).join(' or '))
  return sql`
    with input (position, slug, title, title_folded, excerpt, content_html, status, published_at, reading_time_minutes) as (values ${rows}),
    wanted as (
      select i.position, e.id as existing_id, i.slug, i.title, i.title_folded, i.title as folded_from, i.excerpt, i.content_html,
        coalesce(i.status, e.status, 'draft') as status,
        coalesce(i.published_at, e.published_at,
          case when i.status = 'published' then date_trunc('milliseconds', now()) end) as published_at,
        i.reading_time_minutes
      from input i left join ${guides} e on e.site_id = ${site.id} and e.slug = i.slug
    ),
    written as (
      insert into ${guides} (id, site_id, slug, ${each((column) => column)})
      select ${newId(ids, sql`w.slug`)}, ${site.id}::uuid, w.slug, ${each((column) => `w.${column}`)}
      from wanted w left join ${guides} e on e.id = w.existing_id
      where w.existing_id is null or ${changed}
      order by w.position
      on conflict (site_id, slug) do update set ${each((column) => `${column} = excluded.${column}`)}
      returning id, slug, status, updated_at
    )
    select w.slug, coalesce(n.id, e.id) as id, coalesce(n.status, e.status) as status,
      coalesce(n.updated_at, e.updated_at) as "updatedAt",
      case when n.id is null then 'unchanged' when w.existing_id is null then 'created' else 'updated' end as outcome
    from wanted w left join written n on n.slug = w.slug left join ${guides} e on e.id = w.existing_id`
}

function values(input: GuideInput, position: number): SQL {
  const { excerpt, readingTimeMinutes } = deriveText(input)
  return sql`(${position}::integer, ${input.slug}::text, ${input.title}::text, ${foldCase(input.title)}::text, ${excerpt}::text, ${input.contentHtml}::text,
    ${input.status ?? null}::text, ${input.publishedAt?.toISOString() ?? null}::timestamptz(3),
    ${readingTimeMinutes}::integer)`
}
