import { eq, sql } from 'drizzle-orm'
import type { Context } from '../../context.ts'
import { guides } from '../../db/schema.ts'
import { type BrowsedPage, type BrowseInput, browse, type Tally } from '../articles/browse.ts'

const { id, slug, title, status, publishedAt, updatedAt } = guides
const listed = { id, slug, title, status, publishedAt, updatedAt }

export type ListedGuide = Pick<typeof guides.$inferSelect, keyof typeof listed>

export const browseGuides = (
  ctx: Context,
  site: { id: string },
  input: BrowseInput,
): Promise<BrowsedPage<ListedGuide>> => browse(ctx, site, 'guides', listed, input, tallies(site))

const tallies = (site: { id: string }) => sql<Tally[]>`(select coalesce(json_agg(t), '[]') from (
  select coalesce(status, 'all') as state, '' as band, count(*)::integer as count
  from ${guides} where ${eq(guides.siteId, site.id)} group by grouping sets ((), (status))) t)`
