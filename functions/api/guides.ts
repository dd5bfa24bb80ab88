/** `GET /sites/{siteId}/guides/{slug}`. */
import { Hono } from 'hono'
import { Guide, getGuide } from '../../src/guides.ts'
import type { Operation } from '../http/document.ts'
import type { Env } from '../http/env.ts'
import { serveRead } from '../http/read.ts'
import type { Resource } from '../http/resource.ts'
import {
  commonHeaders,
  ifNoneMatch,
  internalErrorResponse,
  jsonResponse,
  keyRefusedResponse,
  notFoundResponse,
  tagHeaders,
} from '../http/responses.ts'

export const guides = new Hono<Env>()

export const getGuideOperation = (): Operation => ({
  route: 'GET /sites/:siteId/guides/:slug',
  operationId: 'getGuide',
  summary: 'Get a published guide',
  headers: ifNoneMatch,
  responses: {
    200: jsonResponse(Guide, 'The guide', tagHeaders),
    304: { description: 'Not modified', headers: { ...commonHeaders, ...tagHeaders } },
    ...keyRefusedResponse,
    ...notFoundResponse('Guide'),
    ...internalErrorResponse,
  },
})

export const guide: Resource<{ slug: string }> = {
  name: 'guide',
  cacheControl: 'private, no-cache',
  contentType: 'application/json',
  matchAny: () => false,
  counted: false,
  load: async (ctx, site, { slug }) => ({ body: JSON.stringify(await getGuide(ctx, site, slug)) }),
}

guides.get('/sites/:siteId/guides/:slug', (c) => serveRead(c, guide, { slug: c.req.param('slug') }))
