import type { Context } from '../../context.ts'
import { guides } from '../../db/schema.ts'
import { type BrowsedPage, type BrowseInput, browse } from '../articles/browse.ts'

const { id, slug, title, status, publishedAt, updatedAt } = guides
const listed = { id, slug, title, status, publishedAt, updatedAt }

export type ListedGuide = Pick<typeof guides.$inferSelect, keyof typeof listed>

export const browseGuides = (
  ctx: Context,
  site: { id: string },
  input: BrowseInput,
): Promise<BrowsedPage<ListedGuide>> => browse(ctx, site, 'guides', listed, input)
