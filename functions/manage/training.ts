/** `/sites/{siteId}/training-rows`. */
import { zValidator } from '@hono/zod-validator'
import * as z from 'zod/mini'
import {
  addTrainingRows,
  ListedTrainingRow,
  listTrainingRows,
  OptIn,
  openPosition,
  removeTrainingRow,
  setTrainingOptIn,
  TrainingRowInput,
} from '../../src/content/training-rows.ts'
import { MAX_TRAINING_ROWS } from '../../src/core/limits.ts'
import { createApp } from '../http/create-app.ts'
import type { Operation } from '../http/document.ts'
import { idOf } from '../http/request.ts'
import { refuseInvalid } from '../http/validation.ts'
import { bodyErrors, deletedResponse, pageResponse, siteErrors, writtenResponse } from './responses.ts'
import { SealedPageQuery, sealedPaging, siteOf } from './route.ts'

export const training = createApp()

const ROWS = '/sites/:siteId/training-rows'
const ROW = `${ROWS}/:rowId` as const
const OPT_IN = `${ROW}/opt-in` as const

const TrainingRows = z.strictObject({
  rows: z.array(TrainingRowInput).check(z.minLength(1), z.maxLength(MAX_TRAINING_ROWS)),
})

export const listTrainingRowsOperation = (): Operation => ({
  route: `GET ${ROWS}`,
  operationId: 'listTrainingRows',
  summary: 'List training rows, oldest first',
  description:
    'Those kept out of the export too. While `next` is not null, it is the `cursor` of the next page. A page of large rows is shorter than `limit`.',
  query: SealedPageQuery,
  responses: {
    200: pageResponse(ListedTrainingRow, 'A page of rows'),
    ...siteErrors,
  },
})

training.get(ROWS, zValidator('query', SealedPageQuery, refuseInvalid), async (c) => {
  const ctx = c.get('ctx')
  const page = await sealedPaging(c.req.valid('query'), (cursor) => openPosition(ctx, cursor))
  return c.json(await listTrainingRows(ctx, await siteOf(c), page))
})

export const addTrainingRowsOperation = (): Operation => ({
  route: `POST ${ROWS}`,
  operationId: 'addTrainingRows',
  summary: `Append up to ${MAX_TRAINING_ROWS} training rows, all or none`,
  description:
    'A row with `optIn: false` is kept out of the export. `postSlug` must be a post of the site. A row whose `id` is there already is left as it is, so that the same body can be sent again. New rows from people who reach some sites get an id made of this one and the site.',
  body: TrainingRows,
  responses: {
    201: writtenResponse(z.object({ added: z.int() }), 'How many are new'),
    ...siteErrors,
    ...bodyErrors,
  },
})

training.post(ROWS, zValidator('json', TrainingRows, refuseInvalid), async (c) => {
  const site = await siteOf(c)
  return c.json(await addTrainingRows(c.get('ctx'), site, c.req.valid('json').rows), 201)
})

export const removeTrainingRowOperation = (): Operation => ({
  route: `DELETE ${ROW}`,
  operationId: 'removeTrainingRow',
  summary: 'Delete a training row',
  description: 'The next export is without it.',
  responses: { 204: deletedResponse, ...siteErrors },
})

training.delete(ROW, async (c) => {
  await removeTrainingRow(c.get('ctx'), await siteOf(c), idOf(c, 'rowId', 'training_row_not_found'))
  return c.body(null, 204)
})

export const giveTrainingOptInOperation = (): Operation => ({
  route: `PUT ${OPT_IN}`,
  operationId: 'giveTrainingOptIn',
  summary: 'Put a training row into the export',
  description: 'The next export has it, at its place by age.',
  responses: { 200: writtenResponse(OptIn, 'The row is opted in'), ...siteErrors, ...bodyErrors },
})

export const takeBackTrainingOptInOperation = (): Operation => ({
  route: `DELETE ${OPT_IN}`,
  operationId: 'takeBackTrainingOptIn',
  summary: 'Keep a training row out of the export',
  description: 'The next export is without it. The row stays.',
  responses: { 200: writtenResponse(OptIn, 'The row is kept out'), ...siteErrors },
})

training.on(['PUT', 'DELETE'], OPT_IN, async (c) => {
  const site = await siteOf(c)
  const rowId = idOf(c, 'rowId', 'training_row_not_found')
  return c.json(await setTrainingOptIn(c.get('ctx'), site, rowId, c.req.method === 'PUT'))
})
