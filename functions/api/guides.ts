/** `GET /sites/{siteId}/guides/{slug}`. */
import { Guide, get } from '../../src/guides.ts'
import { always, ifNoneMatch, internal, json, missing, tagHeaders, unauthorized } from '../http/answers.ts'
import { apiKey } from '../http/api-key.ts'
import { isKnown, notModified, tagAnswer } from '../http/conditional.ts'
import { createApp, createRoute, named, pathParameter, z } from '../http/openapi.ts'

export const guides = createApp()

const getGuide = createRoute({
  method: 'get',
  path: '/sites/{siteId}/guides/{slug}',
  operationId: 'getGuide',
  summary: 'Get a published guide',
  security: [{ apiKey: [] }],
  middleware: apiKey(),
  request: {
    params: z.object({ siteId: pathParameter('The site', 'uuid'), slug: pathParameter("The guide's slug") }),
    headers: ifNoneMatch,
  },
  responses: {
    200: json(named('Guide', Guide), 'The guide', tagHeaders),
    304: { description: 'Not modified', headers: { ...always, ...tagHeaders } },
    ...unauthorized,
    ...missing('Guide'),
    ...internal,
  },
})

guides.openapi(getGuide, async (c) => {
  const { slug } = c.req.valid('param')
  const etag = await tagAnswer(c, ['guide', slug], 'private, no-cache')
  if (isKnown(c, etag, { star: false })) return notModified(c)
  const guide = await get(c.get('ctx'), c.get('grant').site, slug)
  return isKnown(c, etag) ? notModified(c) : c.json(guide, 200)
})
