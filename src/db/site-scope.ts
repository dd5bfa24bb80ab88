/** The site columns that other modules need. */
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

/** The columns of `SiteScope`, for joins. Changing any raises the site's `auth_version`. */
export const siteScope = columns

/** Settings that shape the site's content. Changing any raises the content version. */
export const contentScope = ['domain', 'defaultLanguage', 'postPath', 'guidePath'] as const

/** The version of the data that was read: for an article read by slug, the slug's version. */
export type ContentScope = Pick<SiteScope, 'id' | 'contentVersion' | (typeof contentScope)[number]>
