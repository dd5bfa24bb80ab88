/** A statement selects the version it reads at as a column: two statements could see different states. */
import { type SQL, sql } from 'drizzle-orm'
import { sha256Hex } from '../core/ids.ts'
import { sites } from './schema.ts'

export type Visibility = 'published' | 'all'

type Row = Pick<
  typeof sites.$inferSelect,
  'contentVersion' | 'slugVersions' | 'publishedVersion' | 'publishedSlugVersions'
>

export function versionsVisible(
  site: Row,
  visibility: Visibility,
): Pick<Row, 'contentVersion' | 'slugVersions'> {
  if (visibility === 'all') return site
  return { contentVersion: site.publishedVersion, slugVersions: site.publishedSlugVersions }
}

/** Null when the site is deleted. `siteId` is a value or a placeholder. */
export function contentVersionOf(siteId: unknown, visibility: Visibility): SQL<number | null> {
  const column = sql.raw(visibility === 'all' ? 'content_version' : 'published_version')
  return sql`(select v.${column} from ${sites} v where v.id = ${siteId})`.mapWith(Number)
}

/** Slugs share the versions of 32 groups. Null when the site is deleted. */
export function slugVersionOf(siteId: unknown, slug: unknown, visibility: Visibility): SQL<number | null> {
  const column = sql.raw(visibility === 'all' ? 'slug_versions' : 'published_slug_versions')
  const version = sql`select slug_version(v.${column}, ${slug}) from ${sites} v where v.id = ${siteId}`
  return sql`(${version})`.mapWith(Number)
}

const PARTS = 32
const DIGITS = 11
export const SLUG_VERSIONS_LENGTH = PARTS * DIGITS

/** Normalises the slug, because SQL stores it in NFC. */
export async function slugVersionIn(slugVersions: string, slug: string): Promise<number> {
  const part = Number.parseInt((await sha256Hex(slug.normalize('NFC'))).slice(0, 2), 16) % PARTS
  return Number.parseInt(slugVersions.slice(part * DIGITS, (part + 1) * DIGITS), 16)
}
