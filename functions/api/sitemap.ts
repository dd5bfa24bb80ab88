/** `GET /sites/{siteId}/sitemap.xml`. */
import { zValidator } from '@hono/zod-validator'
import { Hono } from 'hono'
import * as z from 'zod'
import { renderSitemap } from '../../src/sitemap/render.ts'
import type { Operation } from '../http/document.ts'
import type { Env } from '../http/env.ts'
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
import { requireKeyFirst } from '../http/validation.ts'

export const sitemap = new Hono<Env>()

const SitemapQuery = z.object({
  page: integer({ minimum: 1, description: 'File of the sitemap, as the index names it' }),
  // Read with the key; here for the description.
  token: text('API key in place of the header, for clients that cannot send headers'),
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

sitemap.get(
  '/sites/:siteId/sitemap.xml',
  zValidator('query', SitemapQuery, requireKeyFirst('sitemap')),
  (c) => {
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
  },
)
