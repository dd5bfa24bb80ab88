/** `/sites/{siteId}/training-rows`. */
import { addTrainingRows, EXPORT_ROWS, TrainingRowInput } from '../../src/training.ts'
import { createApp, named } from '../http/openapi.ts'
import { body, createRoute, refusals, siteOf, sitePath, tooLarge, written, z } from './route.ts'

export const training = createApp()

const addTrainingRowsRoute = createRoute({
  method: 'post',
  path: '/sites/{siteId}/training-rows',
  operationId: 'addTrainingRows',
  summary: `Append up to ${EXPORT_ROWS} training rows, all or none`,
  request: {
    params: sitePath,
    body: body(
      z.strictObject({ rows: z.array(named('TrainingRowInput', TrainingRowInput)).min(1).max(EXPORT_ROWS) }),
    ),
  },
  responses: { 201: written(z.object({ added: z.int() }), 'How many were added'), ...refusals, ...tooLarge },
})

training.openapi(addTrainingRowsRoute, async (c) => {
  const site = await siteOf(c)
  return c.json(await addTrainingRows(c.get('ctx'), site, c.req.valid('json').rows), 201)
})
