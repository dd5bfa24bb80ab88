/** `/sites/{siteId}/training-rows`. */
import { zValidator } from '@hono/zod-validator'
import { Hono } from 'hono'
import * as z from 'zod/mini'
import { addTrainingRows, EXPORT_ROWS, TrainingRowInput } from '../../src/training.ts'
import type { Operation } from '../http/document.ts'
import type { Env } from '../http/env.ts'
import { refuseInvalid } from '../http/validation.ts'
import { bodyErrors, siteErrors, writtenResponse } from './responses.ts'
import { siteOf } from './route.ts'

export const training = new Hono<Env>()

const TrainingRows = z.strictObject({
  rows: z.array(TrainingRowInput).check(z.minLength(1), z.maxLength(EXPORT_ROWS)),
})

export const addTrainingRowsOperation = (): Operation => ({
  route: 'POST /sites/:siteId/training-rows',
  operationId: 'addTrainingRows',
  summary: `Append up to ${EXPORT_ROWS} training rows, all or none`,
  description: 'A row with `optIn: false` is kept out of the export. `postSlug` must be a post of the site.',
  body: TrainingRows,
  responses: {
    201: writtenResponse(z.object({ added: z.int() }), 'How many were added'),
    ...siteErrors,
    ...bodyErrors,
  },
})

training.post('/sites/:siteId/training-rows', zValidator('json', TrainingRows, refuseInvalid), async (c) => {
  const site = await siteOf(c)
  return c.json(await addTrainingRows(c.get('ctx'), site, c.req.valid('json').rows), 201)
})
