/**
 * The version that a statement reads at, as one of its columns: version and rows match, which two
 * statements would not promise. An article that is read by its slug has the version of one of 32 groups of slugs.
 */
import { type SQL, sql } from 'drizzle-orm'
import { sha256Hex } from '../core/ids.ts'
import { sites } from './schema.ts'

/** An answer shows published content alone, or drafts too. Either has versions of its own. */
export type Seen = 'published' | 'all'

type Row = Pick<
  typeof sites.$inferSelect,
  'contentVersion' | 'slugVersions' | 'publishedVersion' | 'publishedSlugVersions'
>

export function versionsSeen(site: Row, seen: Seen): Pick<Row, 'contentVersion' | 'slugVersions'> {
  if (seen === 'all') return site
  return { contentVersion: site.publishedVersion, slugVersions: site.publishedSlugVersions }
}

/** Null when the site is gone. `siteId` is a value or a placeholder. */
export function contentVersionOf(siteId: unknown, seen: Seen): SQL<number | null> {
  const column = sql.raw(seen === 'all' ? 'content_version' : 'published_version')
  return sql`(select v.${column} from ${sites} v where v.id = ${siteId})`.mapWith(Number)
}

/** The version of what has this slug. Null when the site is gone. */
export function slugVersionOf(siteId: unknown, slug: unknown, seen: Seen): SQL<number | null> {
  const column = sql.raw(seen === 'all' ? 'slug_versions' : 'published_slug_versions')
  const version = sql`select slug_version(v.${column}, ${slug}) from ${sites} v where v.id = ${siteId}`
  return sql`(${version})`.mapWith(Number)
}

const PARTS = 32
const DIGITS = 11
export const SLUG_VERSIONS_LENGTH = PARTS * DIGITS

/** The same, of the column as it was read. The slug may be written in any normal form; SQL has it as it is stored. */
export async function slugVersionIn(slugVersions: string, slug: string): Promise<number> {
  const part = Number.parseInt((await sha256Hex(slug.normalize('NFC'))).slice(0, 2), 16) % PARTS
  return Number.parseInt(slugVersions.slice(part * DIGITS, (part + 1) * DIGITS), 16)
}
