/** The columns of a site that the verbs of other nouns need. */
import { getTableColumns } from 'drizzle-orm'
import { sites } from './schema.ts'

export type SiteScope = Omit<typeof sites.$inferSelect, 'name' | 'lastSequence' | 'createdAt'>

const { name: _, lastSequence: __, createdAt: ___, ...columns } = getTableColumns(sites)

/** The columns of `SiteScope`, for queries that join the site. */
export const siteScope = columns
