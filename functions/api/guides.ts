/** `GET /sites/{siteId}/guides/{slug}`. */
import { Hono } from 'hono'
import { Guide, getGuide } from '../../src/guides.ts'
import type { Operation } from '../http/document.ts'
import type { Env } from '../http/env.ts'
import { serveRead } from '../http/read.ts'
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

guides.get('/sites/:siteId/guides/:slug', (c) => {
  const slug = c.req.param('slug')
  return serveRead(c, {
    resource: 'guide',
    input: { slug },
    cacheControl: 'private, no-cache',
    contentType: 'application/json',
    matchAny: false,
    counted: false,
    prefetch: true,
    async load(ctx, site, { slug }) {
      const { guide, contentVersion } = await getGuide(ctx, site, slug)
      return { body: JSON.stringify(guide), contentVersion }
    },
  })
})
