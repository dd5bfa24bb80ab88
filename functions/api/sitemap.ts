/** `GET /sites/{siteId}/sitemap.xml`. */
import * as z from 'zod/mini'
import { renderSitemap } from '../../src/content/sitemap/render.ts'
import type { Operation } from '../http/document.ts'
import { createApp } from '../http/env.ts'
import { integerParam, textParam } from '../http/query.ts'
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
import { validQuery } from '../http/validation.ts'

export const sitemap = createApp()

export const pageParam = integerParam({
  minimum: 1,
  description: 'The number of a file in the sitemap index',
})

const SitemapQuery = z.object({
  page: pageParam,
  // Read by the key check. Declared here for the API description only.
  token: textParam('The API key, for clients that cannot send headers'),
})

export const getSitemapOperation = (): Operation => ({
  route: 'GET /sites/:siteId/sitemap.xml',
  operationId: 'getSitemap',
  summary: 'Get the sitemap of published posts and guides',
  description:
    'Above 50,000 URLs, or if it could exceed 50 MB, it is an index. The files of the index are pages of this endpoint.',
  security: [{ apiKey: [] }, { sitemapToken: [] }],
  headers: ifNoneMatch,
  query: SitemapQuery,
  responses: {
    200: {
      description: 'The sitemap or its index',
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

/** `filesAt` is the base URL of the files in an index. Defaults to the site's domain. */
export type SitemapInput = { page: number | null; filesAt?: string }

export const sitemapResource = {
  // Raise the number when the format changes. 2: all files of an index share one lastmod.
  name: 'sitemap-2',
  contentType: 'application/xml; charset=utf-8',
  // `*` asks if the file exists, which the version does not show.
  alwaysExists: ({ page }) => page === null,
  load: async (ctx, site, _view, { page, filesAt }) => ({
    body: await renderSitemap(ctx, site, page, filesAt),
  }),
} satisfies Partial<Resource<SitemapInput>>

const keyedSitemap: Resource<SitemapInput> = {
  ...sitemapResource,
  access: 'sitemap',
  cacheControl: 'private, max-age=300',
  counted: true,
}

sitemap.get('/sites/:siteId/sitemap.xml', validQuery(SitemapQuery, keyedSitemap), (c) =>
  serveRead(c, keyedSitemap, { page: c.req.valid('query').page ?? null }),
)
