/** `GET /sites/{siteId}/guides/{slug}`. */
import { Guide, getGuide } from '../../src/guides.ts'
import { requireKey } from '../http/api-key.ts'
import { createApp, createRoute, named, pathParameter, z } from '../http/openapi.ts'
import { read } from '../http/read.ts'
import { always, ifNoneMatch, internal, json, missing, tagHeaders, unauthorized } from '../http/responses.ts'

export const guides = createApp(requireKey)

const getGuideRoute = createRoute({
  method: 'get',
  path: '/sites/{siteId}/guides/{slug}',
  operationId: 'getGuide',
  summary: 'Get a published guide',
  security: [{ apiKey: [] }],
  parameters: [ifNoneMatch],
  request: {
    params: z.object({ siteId: pathParameter('The site', 'uuid'), slug: pathParameter("The guide's slug") }),
  },
  responses: {
    200: json(named('Guide', Guide), 'The guide', tagHeaders),
    304: { description: 'Not modified', headers: { ...always, ...tagHeaders } },
    ...unauthorized,
    ...missing('Guide'),
    ...internal,
  },
})

guides.openapi(getGuideRoute, (c) => {
  const { slug } = c.req.valid('param')
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
  }) as never
})
