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
import type { Operation } from '../http/document.ts'
import { createApp } from '../http/env.ts'
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
    'Includes rows that are not opted in. If `next` is not null, pass it as `cursor` to get the next page. A page of large rows has fewer than `limit` rows.',
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
  summary: `Add up to ${MAX_TRAINING_ROWS} training rows`,
  description:
    'If one row breaks a rule, none is added. A row with `optIn: false` is not exported. `postSlug` must be the slug of a post of the site. Rows whose `id` already exists stay as they are, so you can safely send the same body again. For operators limited to some sites, new ids are derived from `id` and the site.',
  body: TrainingRows,
  responses: {
    201: writtenResponse(z.object({ added: z.int() }), 'The number of new rows'),
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
  description: 'The next export no longer contains it.',
  responses: { 204: deletedResponse, ...siteErrors },
})

training.delete(ROW, async (c) => {
  await removeTrainingRow(c.get('ctx'), await siteOf(c), idOf(c, 'rowId', 'training_row_not_found'))
  return c.body(null, 204)
})

export const giveTrainingOptInOperation = (): Operation => ({
  route: `PUT ${OPT_IN}`,
  operationId: 'giveTrainingOptIn',
  summary: 'Opt a training row in to the export',
  description: 'The next export contains it, in order of age.',
  responses: { 200: writtenResponse(OptIn, 'The row is opted in'), ...siteErrors, ...bodyErrors },
})

export const takeBackTrainingOptInOperation = (): Operation => ({
  route: `DELETE ${OPT_IN}`,
  operationId: 'takeBackTrainingOptIn',
  summary: 'Opt a training row out of the export',
  description: 'The next export no longer contains it. The row is not deleted.',
  responses: { 200: writtenResponse(OptIn, 'The row is opted out'), ...siteErrors },
})

training.on(['PUT', 'DELETE'], OPT_IN, async (c) => {
  const site = await siteOf(c)
  const rowId = idOf(c, 'rowId', 'training_row_not_found')
  return c.json(await setTrainingOptIn(c.get('ctx'), site, rowId, c.req.method === 'PUT'))
})
