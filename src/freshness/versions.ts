/** The versions of a site, and the text by which Redis has them. */
import { SLUG_VERSIONS_LENGTH } from '../db/content-version.ts'
import type { sites } from '../db/schema.ts'

/**
 * `authVersion` is of a site's settings and keys, `contentVersion` of its content, and `slugVersions` of parts of it. The other
 * two are of the published content alone: whatever raises them raises the first two too.
 */
export type Versions = Pick<
  typeof sites.$inferSelect,
  'authVersion' | 'contentVersion' | 'slugVersions' | 'publishedVersion' | 'publishedSlugVersions'
>

const SLUGS = `([\\da-f]{${SLUG_VERSIONS_LENGTH}})`
const VERSIONS = new RegExp(`^(\\d+)/(\\d+)/${SLUGS}/(\\d+)/${SLUGS}$`)

export const formatVersions = (versions: Versions) =>
  [
    versions.authVersion,
    versions.contentVersion,
    versions.slugVersions,
    versions.publishedVersion,
    versions.publishedSlugVersions,
  ].join('/')

/** Null when the published versions are stale, or there are none, or what is there are no versions. */
export function currentVersions(value: unknown): Versions | null {
  const [, auth, content, slugVersions, published, publishedSlugVersions] = VERSIONS.exec(String(value)) ?? []
  if (!slugVersions || !publishedSlugVersions) return null
  return {
    authVersion: Number(auth),
    contentVersion: Number(content),
    slugVersions,
    publishedVersion: Number(published),
    publishedSlugVersions,
  }
}
