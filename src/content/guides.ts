/** Guides: wire shape, reading and writing. */
import { and, eq, inArray, type SQL, sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import { contentVersionOf } from '../db/content-version.ts'
import { prepared } from '../db/prepared.ts'
import { guides } from '../db/schema.ts'
import type { Context } from '../foundation/context.ts'
import { AppError } from '../foundation/errors.ts'
import { wireShape } from '../foundation/wire-shape.ts'
import type { SiteScope } from '../sites/sites.ts'
import { apiBytes, apiColumns, apiShapes, articleJson, type Fields, inputOf } from './articles/field.ts'
import { PARTIAL } from './articles/fields.ts'
import type { Filters } from './articles/filters.ts'
import {
  findArticles,
  type Order,
  orderByUpdate,
  type PageNumber,
  placeholdersOf,
  questionOf,
} from './articles/find.ts'
import { type PutKind, slugOf } from './articles/kind.ts'
import { type ArticlePage, pageShape, selectPage, toPage } from './articles/page.ts'
import { type PutOptions, type PutResult, putArticles, refuseTwice } from './articles/put.ts'
import { deriveText } from './articles/text.ts'
import { GUIDE_FIELDS } from './guides/fields.ts'

export const Guide = /* @__PURE__ */ wireShape(() =>
  z.object(apiShapes(GUIDE_FIELDS)).register(z.globalRegistry, { id: 'Guide' }),
)

export type Guide = z.infer<typeof Guide>

/** Of `fields`. */
export const PartialGuide = /* @__PURE__ */ wireShape(() => {
  const { id, slug, updatedAt } = Guide.shape
  return z
    .extend(z.partial(Guide), { id, slug, updatedAt })
    .register(z.globalRegistry, { id: 'PartialGuide', description: PARTIAL })
})

export const GuideInput = z.strictObject(inputOf(GUIDE_FIELDS))

export type GuideInput = z.infer<typeof GuideInput>

export const GUIDE: PutKind<GuideInput> = {
  noun: 'guide',
  missing: 'guide_not_found',
  table: guides,
  fields: GUIDE_FIELDS,
  derive: (_, input) => deriveText(input),
  joins: () => sql``,
  untilEdited: [],
  following: () => sql``,
}

export const GuideList = /* @__PURE__ */ wireShape(() =>
  z.object({ items: z.array(Guide), ...pageShape }).register(z.globalRegistry, { id: 'GuideList' }),
)

const guideColumns = (fields: Fields) => apiColumns(GUIDE_FIELDS, fields)

/** JSON bytes of the heavy field, if it is asked for. */
export const guideBytes = (fields: Fields): SQL => apiBytes(GUIDE_FIELDS, guides.wireBytes, fields)

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
  const slug = slugOf(GUIDE, written)
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

const selectGuides = prepared((db, { asked, order }: { asked: string[]; order: Order }) => {
  const kind = { table: guides, columns: guideColumns(null), bytes: guideBytes(null) }
  return selectPage(db, kind, findArticles(db, 'guides', placeholdersOf(asked), order), order)
})

/** Published guides, newest `updatedAt` first; with `updatedAfter` oldest first. */
export async function listGuides(
  ctx: Context,
  site: { id: string },
  input: PageNumber & Filters,
): Promise<ArticlePage> {
  const question = questionOf(site, { ...input, status: 'published' })
  const statement = selectGuides(ctx.db, { asked: Object.keys(question), order: orderByUpdate(input) })
  const rows = await statement.execute(question)
  return toPage(ctx, rows, input, (ids) => guidesById(ctx, site, ids, null))
}

/** Writes up to 100 guides, as `putArticles` does. @throws AppError invalid_body when a slug or an id is given twice, or an id is another's */
export async function putGuides(
  ctx: Context,
  site: SiteScope,
  inputs: GuideInput[],
  options: PutOptions = {},
): Promise<PutResult[]> {
  refuseTwice(inputs, options.where ?? ((index) => `guides[${index}].`))
  return putArticles(ctx, GUIDE, site, inputs, options)
}
