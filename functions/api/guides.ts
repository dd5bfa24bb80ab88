/** `GET /sites/{siteId}/guides/{slug}`. */
import { Guide, get } from '../../src/guides.ts'
import { admit } from '../http/admission.ts'
import { always, ifNoneMatch, internal, json, missing, tagHeaders, unauthorized } from '../http/answers.ts'
import { apiKey } from '../http/api-key.ts'
import { isKnown, notModified } from '../http/conditional.ts'
import { keptAnswer } from '../http/kept-answer.ts'
import { createApp, createRoute, named, pathParameter, z } from '../http/openapi.ts'

export const guides = createApp()

const getGuide = createRoute({
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

guides.openapi(getGuide, async (c) => {
  const { slug } = c.req.valid('param')
  const question = ['guide', slug]
  const admission = await admit(c, {
    question,
    cacheControl: 'private, no-cache',
    star: false,
    counted: false,
  })
  if (admission.known) return notModified(c, admission)
  const answer = await keptAnswer(c, admission, 'application/json', async () =>
    JSON.stringify(await get(c.get('ctx'), c.get('grant').site, slug)),
  )
  return isKnown(c, admission.etag) ? notModified(c, admission) : (answer as never)
})
