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

/** Changing any raises the site's `auth_version`. */
export const siteScope = columns

/** Changing any of these settings raises the content version. */
export const contentScope = ['domain', 'defaultLanguage', 'postPath', 'guidePath'] as const

/** For an article read by slug, the version is the slug's. */
export type ContentScope = Pick<SiteScope, 'id' | 'contentVersion' | (typeof contentScope)[number]>
