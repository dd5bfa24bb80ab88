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

/** The columns of `SiteScope`, for queries that join the site. A change of any of them raises the site's `auth_version`. */
export const siteScope = columns

/** What the site's content is shown with. A change of any of it raises the content version. */
export const contentScope = ['domain', 'defaultLanguage', 'postPath', 'guidePath'] as const

/** Its version is that of what is read: of an article read by its slug, the slug's. */
export type ContentScope = Pick<SiteScope, 'id' | 'contentVersion' | (typeof contentScope)[number]>
