/** `GET /sites/{siteId}/sitemap.xml`. */
import * as z from 'zod/mini'
import { createApp } from '../http/create-app.ts'
import type { Operation } from '../http/document.ts'
import { textParam } from '../http/query.ts'
import { type Resource, serveRead } from '../http/read.ts'
import {
  commonHeaders,
  ifNoneMatch,
  internalErrorResponse,
  invalidQueryResponse,
  keyRefusedResponse,
  notFoundResponse,
  notModifiedResponse,
  overQuotaResponse,
  rateHeaders,
  tagHeaders,
} from '../http/responses.ts'
import { pageParam, type SitemapInput, sitemapResource } from '../http/sitemap.ts'
import { validQuery } from '../http/validation.ts'

export const sitemap = createApp()

const SitemapQuery = z.object({
  page: pageParam,
  // Read with the key; here for the description.
  token: textParam('API key in place of the header, for clients that cannot send headers'),
})

export const getSitemapOperation = (): Operation => ({
  route: 'GET /sites/:siteId/sitemap.xml',
  operationId: 'getSitemap',
  summary: 'Sitemap of published posts and guides',
  description:
    'Above 50,000 URLs, or where it could exceed 50 MB, an index, whose files are pages of this endpoint.',
  security: [{ apiKey: [] }, { sitemapToken: [] }],
  headers: ifNoneMatch,
  query: SitemapQuery,
  responses: {
    200: {
      description: 'The sitemap, or its index',
      headers: { ...commonHeaders, ...tagHeaders, ...rateHeaders },
      content: { 'application/xml': { schema: z.string() } },
    },
    304: notModifiedResponse,
    ...invalidQueryResponse,
    ...keyRefusedResponse,
    ...notFoundResponse('File of the sitemap', rateHeaders),
    ...overQuotaResponse,
    ...internalErrorResponse,
  },
})

const keyedSitemap: Resource<SitemapInput> = {
  ...sitemapResource,
  access: 'sitemap',
  cacheControl: 'private, max-age=300',
  counted: true,
}

sitemap.get('/sites/:siteId/sitemap.xml', validQuery(SitemapQuery, keyedSitemap), (c) =>
  serveRead(c, keyedSitemap, { page: c.req.valid('query').page ?? null }),
)
