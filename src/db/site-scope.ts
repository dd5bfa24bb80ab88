/** The columns of a site that the verbs of other nouns need. */
import { getTableColumns } from 'drizzle-orm'
import { sites } from './schema.ts'

export type SiteScope = Omit<
  typeof sites.$inferSelect,
  'name' | 'deletionStartedAt' | 'lastSequence' | 'createdAt'
>

const {
  name: _,
  deletionStartedAt: __,
  lastSequence: ___,
  createdAt: ____,
  ...columns
} = getTableColumns(sites)

/** What the site's content is shown with. A change of any of it raises the content version. */
export type ContentScope = Pick<
  SiteScope,
  'id' | 'domain' | 'defaultLanguage' | 'postPath' | 'guidePath' | 'contentVersion'
>

/** The columns of `SiteScope`, for queries that join the site. */
export const siteScope = columns
