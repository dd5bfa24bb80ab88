/** `/sites/{siteId}/sitemap`: the published sitemap. */
import {
  PublishedSitemap,
  publishedSitemap,
  publishSitemap,
  renewSitemap,
  unpublishSitemap,
} from '../../src/content/sitemap/publication.ts'
import type { Operation } from '../http/document.ts'
import { createApp, type Http } from '../http/env.ts'
import { jsonResponse } from '../http/responses.ts'
import { bodyErrors, deletedResponse, siteErrors, writtenResponse } from './responses.ts'
import { siteOf } from './route.ts'

export const sitemap = createApp()

const shown = (c: Http, sitemapId: string | null) => publishedSitemap(sitemapId, new URL(c.req.url).origin)

export const getPublishedSitemapOperation = (): Operation => ({
  route: 'GET /sites/:siteId/sitemap',
  operationId: 'getPublishedSitemap',
  summary: 'Get the URLs of the published sitemap',
  description: 'Returns 404 if the sitemap is not published.',
  responses: { 200: jsonResponse(PublishedSitemap, 'The URLs, which need no key'), ...siteErrors },
})

sitemap.get('/sites/:siteId/sitemap', async (c) => c.json(shown(c, (await siteOf(c)).sitemapId)))

export const publishSitemapOperation = (): Operation => ({
  route: 'PUT /sites/:siteId/sitemap',
  operationId: 'publishSitemap',
  summary: 'Publish the sitemap at a URL that needs no key',
  description:
    '`url` is for crawlers: put `Sitemap: <url>` in your robots.txt. `proxiedUrl` is for a proxy at /sitemap.xml of the domain of the site. They differ only above 50,000 URLs, in the location of the files of the index. `proxiedRssUrl` and `proxiedJsonFeedUrl` are for proxies at /feed.xml and /feed.json of that domain, which the feeds name as their own URLs. If the sitemap is already published, its URLs stay the same.',
  responses: {
    200: writtenResponse(PublishedSitemap, 'The URLs'),
    ...siteErrors,
    ...bodyErrors,
  },
})

sitemap.put('/sites/:siteId/sitemap', async (c) =>
  c.json(shown(c, await publishSitemap(c.get('ctx'), await siteOf(c)))),
)

export const renewSitemapOperation = (): Operation => ({
  route: 'POST /sites/:siteId/sitemap/renewals',
  operationId: 'renewSitemap',
  summary: 'Renew the URLs of the published sitemap',
  description:
    'The old URLs return 404 from the next request on, or within a minute if a cache refuses the purge.',
  responses: {
    201: writtenResponse(PublishedSitemap, 'The new URLs'),
    ...siteErrors,
    ...bodyErrors,
  },
})

sitemap.post('/sites/:siteId/sitemap/renewals', async (c) =>
  c.json(shown(c, await renewSitemap(c.get('ctx'), await siteOf(c))), 201),
)

export const unpublishSitemapOperation = (): Operation => ({
  route: 'DELETE /sites/:siteId/sitemap',
  operationId: 'unpublishSitemap',
  summary: 'Unpublish the sitemap',
  description:
    'Its URLs return 404 from the next request on, or within a minute if a cache refuses the purge.',
  responses: { 204: deletedResponse, ...siteErrors },
})

sitemap.delete('/sites/:siteId/sitemap', async (c) => {
  await unpublishSitemap(c.get('ctx'), await siteOf(c))
  return c.body(null, 204)
})
