/** What the verbs of the other nouns need to know of their site. */
import { getTableColumns } from 'drizzle-orm'
import { sites } from './schema.ts'

export type SiteScope = Omit<typeof sites.$inferSelect, 'name' | 'lastSequence' | 'createdAt'>

const { name: _, lastSequence: __, createdAt: ___, ...columns } = getTableColumns(sites)

/** Columns of a `SiteScope`, for queries that join the site. */
export const siteScope = columns
