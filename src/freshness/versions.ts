import { SLUG_VERSIONS_LENGTH } from '../db/content-version.ts'
import type { sites } from '../db/schema.ts'

/** `auth`: settings and keys. `slug`: groups of slugs. A change that raises the `published` versions raises the others, too. */
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

/** Null while a writer is busy, and for missing or malformed versions. */
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
