/** `/sites/{siteId}/guides`. */
import { PutResult } from '../../src/articles/put-result.ts'
import { deleteGuide, GuideInput, putGuides, setGuideStatus } from '../../src/guides.ts'
import { createApp, named } from '../http/openapi.ts'
import {
  body,
  createRoute,
  MAX_BULK,
  refusals,
  siteOf,
  sitePath,
  slugOf,
  slugPath,
  tooLarge,
  written,
  z,
} from './route.ts'
import { addStates } from './states.ts'

export const guides = createApp()

const PutAnswer = named('PutResult', PutResult)

const putGuidesRoute = createRoute({
  method: 'put',
  path: '/sites/{siteId}/guides',
  operationId: 'putGuides',
  summary: 'Insert or update up to 100 guides by slug, all or none',
  request: {
    params: sitePath,
    body: body(z.strictObject({ guides: z.array(GuideInput).min(1).max(MAX_BULK) })),
  },
  responses: {
    200: written(z.object({ items: z.array(PutAnswer) }), 'What became of each'),
    ...refusals,
    ...tooLarge,
  },
})

guides.openapi(putGuidesRoute, async (c) => {
  const site = await siteOf(c)
  return c.json({ items: await putGuides(c.get('ctx'), site, c.req.valid('json').guides) }, 200)
})

const putGuideRoute = createRoute({
  method: 'put',
  path: '/sites/{siteId}/guides/{slug}',
  operationId: 'putGuide',
  summary: 'Insert or update a guide',
  request: { params: slugPath, body: body(GuideInput.partial({ slug: true }).openapi('GuideInput')) },
  responses: {
    200: written(PutAnswer, 'Updated, or unchanged'),
    201: written(PutAnswer, 'Created'),
    ...refusals,
    ...tooLarge,
  },
})

guides.openapi(putGuideRoute, async (c) => {
  const input = c.req.valid('json')
  const slug = slugOf(c, input.slug)
  const [result] = await putGuides(c.get('ctx'), await siteOf(c), [{ ...input, slug }])
  return c.json(result!, result!.outcome === 'created' ? 201 : 200)
})

addStates(guides, { path: '/guides', noun: 'Guide', remove: deleteGuide, setStatus: setGuideStatus })
