/** What the routes of a sitemap read. */
import { renderSitemap } from '../../src/content/sitemap/render.ts'
import { integerParam } from './query.ts'
import type { Resource } from './read.ts'

export const pageParam = integerParam({
  minimum: 1,
  description: 'File of the sitemap, as the index names it',
})

/** `filesAt` is the URL of the files in an index, by default on the site's domain. */
export type SitemapInput = { page: number | null; filesAt?: string }

export const sitemapResource = {
  name: 'sitemap',
  contentType: 'application/xml; charset=utf-8',
  // `*` asks whether the file exists, which the version does not tell.
  matchAny: ({ page }) => page === null,
  load: async (ctx, site, { page, filesAt }) => ({ body: await renderSitemap(ctx, site, page, filesAt) }),
} satisfies Partial<Resource<SitemapInput>>
