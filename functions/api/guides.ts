/** `GET /sites/{siteId}/guides/{slug}`. */
import { Guide, getGuide } from '../../src/guides.ts'
import { apiKey } from '../http/api-key.ts'
import { createApp, createRoute, named, pathParameter, z } from '../http/openapi.ts'
import { always, ifNoneMatch, internal, json, missing, tagHeaders, unauthorized } from '../http/responses.ts'
import { serve } from '../http/serve.ts'

export const guides = createApp()

const getGuideRoute = createRoute({
  method: 'get',
  path: '/sites/{siteId}/guides/{slug}',
  operationId: 'getGuide',
  summary: 'Get a published guide',
  security: [{ apiKey: [] }],
  middleware: apiKey({ recalls: true }),
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
  return serve(c, {
    question: ['guide', slug],
    cacheControl: 'private, no-cache',
    type: 'application/json',
    star: false,
    counted: false,
    ahead: true,
    async write(site) {
      const { guide, contentVersion } = await getGuide(c.get('ctx'), site, slug)
      return { body: JSON.stringify(guide), contentVersion }
    },
  }) as never
})
