/** `GET /sites/{siteId}/sitemap.xml`. */
import { renderSitemap } from '../../src/sitemap/render.ts'
import { requireKey } from '../http/api-key.ts'
import { createApp, createRoute, pathParameter, z } from '../http/openapi.ts'
import { integer, text } from '../http/query.ts'
import { read } from '../http/read.ts'
import {
  always,
  ifNoneMatch,
  internal,
  invalidQuery,
  missing,
  notModifiedAnswer,
  overQuota,
  rateHeaders,
  tagHeaders,
  unauthorized,
} from '../http/responses.ts'
import { begun } from '../http/stream.ts'

export const sitemap = createApp((c) => requireKey(c, 'sitemap'))

const getSitemapRoute = createRoute({
  method: 'get',
  path: '/sites/{siteId}/sitemap.xml',
  operationId: 'getSitemap',
  summary: 'Sitemap of published posts and guides',
  description: 'Above 50,000 URLs or 50 MB an index, whose files are pages of this endpoint.',
  // Or none, where the key is `token`.
  security: [{ apiKey: [] }, {}] as Record<string, string[]>[],
  parameters: [ifNoneMatch],
  request: {
    params: z.object({ siteId: pathParameter('The site', 'uuid') }),
    query: z.object({
      page: integer({ minimum: 1, description: 'File of the sitemap, as the index names it' }),
      // Read with the key, before this; here for the description.
      token: text('API key in place of the header, for clients that cannot send headers'),
    }),
  },
  responses: {
    200: {
      description: 'The sitemap, or its index',
      headers: { ...always, ...tagHeaders, ...rateHeaders },
      content: { 'application/xml': { schema: z.string() } },
    },
    304: notModifiedAnswer,
    ...invalidQuery,
    ...unauthorized,
    ...missing('File of the sitemap', rateHeaders),
    ...overQuota,
    ...internal,
  },
})

sitemap.openapi(getSitemapRoute, (c) => {
  const page = c.req.valid('query').page ?? null
  return read(c, {
    access: 'sitemap',
    cacheKey: ['sitemap', page],
    cacheControl: 'private, max-age=300',
    contentType: 'application/xml; charset=utf-8',
    // `*` asks whether there is such a file at all, which the version cannot tell.
    matchAny: page === null,
    counted: true,
    load: async (ctx, site) => ({ body: await begun(await renderSitemap(ctx, site, page)) }),
  })
})
