/** `GET /sites/{siteId}/sitemap.xml`. */
import { zValidator } from '@hono/zod-validator'
import { Hono } from 'hono'
import * as z from 'zod/mini'
import { renderSitemap } from '../../src/sitemap/render.ts'
import type { Operation } from '../http/document.ts'
import type { Env } from '../http/env.ts'
import { integerParam, textParam } from '../http/query.ts'
import { serveRead } from '../http/read.ts'
import type { Resource } from '../http/resource.ts'
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
import { withFirstPiece } from '../http/stream.ts'
import { requireKeyFirst } from '../http/validation.ts'

export const sitemap = new Hono<Env>()

const SitemapQuery = z.object({
  page: integerParam({ minimum: 1, description: 'File of the sitemap, as the index names it' }),
  // Read with the key; here for the description.
  token: textParam('API key in place of the header, for clients that cannot send headers'),
})

export const getSitemapOperation = (): Operation => ({
  route: 'GET /sites/:siteId/sitemap.xml',
  operationId: 'getSitemap',
  summary: 'Sitemap of published posts and guides',
  description: 'Above 50,000 URLs or 50 MB an index, whose files are pages of this endpoint.',
  // Or none, where the key is `token`.
  security: [{ apiKey: [] }, {}],
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

export const keyedSitemap: Resource<{ page: number | null }> = {
  name: 'sitemap',
  access: 'sitemap',
  cacheControl: 'private, max-age=300',
  contentType: 'application/xml; charset=utf-8',
  // `*` asks whether the file exists, which the version does not tell.
  matchAny: ({ page }) => page === null,
  counted: true,
  load: async (ctx, site, { page }) => ({ body: await withFirstPiece(await renderSitemap(ctx, site, page)) }),
}

sitemap.get(
  '/sites/:siteId/sitemap.xml',
  zValidator('query', SitemapQuery, requireKeyFirst('sitemap')),
  (c) => serveRead(c, keyedSitemap, { page: c.req.valid('query').page ?? null }),
)
