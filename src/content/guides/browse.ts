/** The console's list of guides. */
import { guides } from '../../db/schema.ts'
import type { Context } from '../../foundation/context.ts'
import { type BrowseInput, browse, type Found } from '../articles/browse.ts'

const { id, slug, title, status, publishedAt, updatedAt } = guides
const listed = { id, slug, title, status, publishedAt, updatedAt }

export type ListedGuide = Pick<typeof guides.$inferSelect, keyof typeof listed>

export const browseGuides = (
  ctx: Context,
  site: { id: string },
  input: BrowseInput,
): Promise<Found<ListedGuide>> => browse(ctx, site, 'guides', listed, input)
