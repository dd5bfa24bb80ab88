/** The console's list of guides, without their bodies. */
import { and, eq, gt, gte, lte, sql } from 'drizzle-orm'
import { guides } from '../../db/schema.ts'
import { hasWords } from '../../db/words.ts'
import type { Context } from '../../foundation/context.ts'
import type { SiteScope } from '../../sites/sites.ts'
import { type BrowseInput, browseOrder, type Found, findToBrowse } from '../articles/browse.ts'

export type GuideBrowseInput = BrowseInput & { status: 'draft' | 'published' | 'all' }

const { id, slug, title, status, publishedAt, updatedAt } = guides
const listed = { id, slug, title, status, publishedAt, updatedAt }

export type ListedGuide = Pick<typeof guides.$inferSelect, keyof typeof listed>

/** A page of the guides that match, in one statement. */
export async function browseGuides(
  ctx: Context,
  site: SiteScope,
  input: GuideBrowseInput,
): Promise<Found<ListedGuide>> {
  const where = and(
    eq(guides.siteId, site.id),
    hasWords(input.search, guides.titleFolded, sql`lower(${slug})`),
    input.status === 'all' ? undefined : eq(status, input.status),
    input.publishedFrom ? gte(publishedAt, input.publishedFrom) : undefined,
    input.publishedTo ? lte(publishedAt, input.publishedTo) : undefined,
    input.updatedAfter ? gt(updatedAt, input.updatedAfter) : undefined,
  )
  const { total: found, page } = findToBrowse(ctx.db, guides, where, input)
  const rows = await ctx.db
    .with(found, page)
    .select({ total: found.total, guide: listed })
    .from(found)
    .leftJoin(page, sql`true`)
    .leftJoin(guides, and(eq(guides.siteId, site.id), eq(updatedAt, page.updatedAt)))
    .orderBy(browseOrder(input.sort, guides))
  const total = rows[0]?.total ?? 0
  return {
    items: rows.flatMap(({ guide }) => guide ?? []),
    total,
    totalPages: Math.ceil(total / input.pageSize),
  }
}
