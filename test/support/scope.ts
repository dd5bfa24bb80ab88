/** A site as the verbs see it, for tests without a database. */
import type { SiteScope } from '../../src/db/site-scope.ts'

export function siteScope(fields: Partial<SiteScope> = {}): SiteScope {
  return {
    id: '00000000-0000-4000-8000-000000000001',
    domain: 'site.example.com',
    defaultLanguage: 'en',
    postPath: '/blog/{slug}',
    guidePath: '/guides/{slug}',
    plan: 'free',
    dailyQuota: null,
    trainingOptIn: false,
    sitemapId: null,
    feedContent: 'excerpt',
    previewUrl: null,
    contentVersion: 1,
    slugVersions: '00000000001'.repeat(32),
    publishedVersion: 1,
    publishedSlugVersions: '00000000001'.repeat(32),
    authVersion: 1,
    ...fields,
  }
}
