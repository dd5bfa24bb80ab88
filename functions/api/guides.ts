/** `GET /sites/{siteId}/guides/{slug}`. */
import { Hono } from 'hono'
import { Guide, getGuide } from '../../src/guides.ts'
import type { Operation } from '../http/document.ts'
import type { Env } from '../http/env.ts'
import { read } from '../http/read.ts'
import { always, ifNoneMatch, internal, json, missing, tagHeaders, unauthorized } from '../http/responses.ts'

export const guides = new Hono<Env>()

export const getGuideOperation = (): Operation => ({
  route: 'GET /sites/:siteId/guides/:slug',
  operationId: 'getGuide',
  summary: 'Get a published guide',
  headers: ifNoneMatch,
  responses: {
    200: json(Guide, 'The guide', tagHeaders),
    304: { description: 'Not modified', headers: { ...always, ...tagHeaders } },
    ...unauthorized,
    ...missing('Guide'),
    ...internal,
  },
})

guides.get('/sites/:siteId/guides/:slug', (c) => {
  const slug = c.req.param('slug')
  return read(c, {
    cacheKey: ['guide', slug],
    cacheControl: 'private, no-cache',
    contentType: 'application/json',
    matchAny: false,
    counted: false,
    prefetch: true,
    async load(ctx, site) {
      const { guide, contentVersion } = await getGuide(ctx, site, slug)
      return { body: JSON.stringify(guide), contentVersion }
    },
  })
})
