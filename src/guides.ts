/** Guides: wire shape, reading and writing. */
import { and, count, desc, eq, gt, ilike, type SQL, sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import { shown, toShown, writable } from './articles/fields.ts'
import { setPublication } from './articles/publication.ts'
import { type PutResult, takeResults } from './articles/put-result.ts'
import { deriveText } from './articles/text.ts'
import type { Context } from './context.ts'
import { guides } from './db/schema.ts'
import { AppError } from './errors.ts'
import { likeSubstring } from './fold.ts'
import { writeSite } from './site-versions.ts'
import type { SiteScope } from './sites.ts'
import { SLUG } from './slug.ts'
import { wireShape } from './wire-shape.ts'

export const Guide = /* @__PURE__ */ wireShape(() =>
  z.object(shown).register(z.globalRegistry, { id: 'Guide' }),
)

export const GuideInput = z.strictObject(writable)

export type GuideInput = z.infer<typeof GuideInput>

const SET = ['title', 'excerpt', 'content_html', 'status', 'published_at', 'reading_time_minutes']

/** A published guide, or with `drafts` any guide. @throws AppError guide_not_found */
export async function getGuide(
  ctx: Context,
  site: { id: string },
  slug: string,
  options: { drafts: boolean } = { drafts: false },
): Promise<z.infer<typeof Guide>> {
  if (!SLUG.test(slug)) throw new AppError('guide_not_found')
  const shownToAll = options.drafts ? undefined : eq(guides.status, 'published')
  const [row] = await ctx.db
    .select()
    .from(guides)
    .where(and(eq(guides.siteId, site.id), eq(guides.slug, slug), shownToAll))
  if (!row) throw new AppError('guide_not_found')
  return toShown(row)
}

export type GuideListInput = {
  page: number
  pageSize: number
  search: string | null
  status: 'draft' | 'published' | 'all'
  updatedAfter: Date | null
}

export type ListedGuide = Pick<typeof guides.$inferSelect, 'id' | 'slug' | 'title' | 'status' | 'updatedAt'>

/** A page of guides without their bodies, newest `updatedAt` first, in one statement. */
export async function browseGuides(
  ctx: Context,
  site: SiteScope,
  input: GuideListInput,
): Promise<{ items: ListedGuide[]; total: number; totalPages: number }> {
  const where = and(
    eq(guides.siteId, site.id),
    input.status === 'all' ? undefined : eq(guides.status, input.status),
    input.updatedAfter ? gt(guides.updatedAt, input.updatedAfter) : undefined,
    input.search ? ilike(guides.title, likeSubstring(input.search)) : undefined,
  )
  const all = ctx.db.$with('matching').as(
    ctx.db
      .select({ total: count().as('total') })
      .from(guides)
      .where(where),
  )
  const page = ctx.db.$with('page').as(
    ctx.db
      .select({ updatedAt: guides.updatedAt })
      .from(guides)
      .where(where)
      .orderBy(desc(guides.updatedAt))
      .limit(input.pageSize)
      .offset(Math.min((input.page - 1) * input.pageSize, Number.MAX_SAFE_INTEGER)),
  )
  const { id, slug, title, status, updatedAt } = guides
  const rows = await ctx.db
    .with(all, page)
    .select({ total: all.total, guide: { id, slug, title, status, updatedAt } })
    .from(all)
    .leftJoin(page, sql`true`)
    .leftJoin(guides, and(eq(guides.siteId, site.id), eq(updatedAt, page.updatedAt)))
    .orderBy(desc(page.updatedAt))
  const total = rows[0]?.total ?? 0
  return {
    items: rows.flatMap(({ guide }) => guide ?? []),
    total,
    totalPages: Math.ceil(total / input.pageSize),
  }
}

/**
 * Inserts or updates up to 100 guides by slug in one transaction and skips unchanged ones. `status` and `publishedAt`
 * are kept if left out.
 *
 * @returns one result per input, in the same order
 * @throws AppError invalid_body when a slug is given twice
 */
export async function putGuides(ctx: Context, site: SiteScope, inputs: GuideInput[]): Promise<PutResult[]> {
  const slugs = inputs.map((input) => input.slug)
  const twice = slugs.findIndex((slug, index) => slugs.indexOf(slug) !== index)
  if (twice >= 0) {
    throw new AppError('invalid_body', { path: `guides[${twice}].slug`, message: 'must not be given twice' })
  }
  const [result] = await writeSite(ctx, site.id, [ctx.db.execute(upsert(site, inputs))])
  return takeResults(slugs, [result])
}

/** Publishes or unpublishes a guide. Changes nothing if it has that status already. @throws AppError guide_not_found */
export async function setGuideStatus(
  ctx: Context,
  site: SiteScope,
  slug: string,
  status: 'draft' | 'published',
) {
  const publication = SLUG.test(slug) ? await setPublication(ctx, guides, site.id, slug, status) : null
  if (!publication) throw new AppError('guide_not_found')
  return publication
}

/** @throws AppError guide_not_found */
export async function deleteGuide(ctx: Context, site: SiteScope, slug: string): Promise<void> {
  if (!SLUG.test(slug)) throw new AppError('guide_not_found')
  const here = and(eq(guides.siteId, site.id), eq(guides.slug, slug))
  const [deleted] = await writeSite(ctx, site.id, [
    ctx.db.delete(guides).where(here).returning({ id: guides.id }),
  ])
  if (deleted.length === 0) throw new AppError('guide_not_found')
}

function upsert(site: SiteScope, inputs: GuideInput[]): SQL {
  const rows = sql.join(inputs.map(values), sql`, `)
  const each = (write: (column: string) => string, between = ', ') => sql.raw(SET.map(write).join(between))
  return sql`
    with input (position, slug, title, excerpt, content_html, status, published_at, reading_time_minutes) as (values ${rows}),
    wanted as (
      select i.position, e.id as existing_id, i.slug, i.title, i.excerpt, i.content_html,
        coalesce(i.status, e.status, 'draft') as status,
        coalesce(i.published_at, e.published_at,
          case when i.status = 'published' then date_trunc('milliseconds', now()) end) as published_at,
        i.reading_time_minutes
      from input i left join ${guides} e on e.site_id = ${site.id} and e.slug = i.slug
    ),
    written as (
      insert into ${guides} (site_id, slug, ${each((column) => column)})
      select ${site.id}::uuid, w.slug, ${each((column) => `w.${column}`)}
      from wanted w left join ${guides} e on e.id = w.existing_id
      where w.existing_id is null or ${each((column) => `e.${column} is distinct from w.${column}`, ' or ')}
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
  return sql`(${position}::integer, ${input.slug}::text, ${input.title}::text, ${excerpt}::text, ${input.contentHtml}::text,
    ${input.status ?? null}::text, ${input.publishedAt?.toISOString() ?? null}::timestamptz(3),
    ${readingTimeMinutes}::integer)`
}
