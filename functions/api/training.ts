/** `GET /sites/{siteId}/training/export`. */
import * as z from 'zod/mini'
import { exportTrainingRows, type TrainingRow } from '../../src/content/training.ts'
import { AppError } from '../../src/core/errors.ts'
import { UUID } from '../../src/core/ids.ts'
import { MAX_TRAINING_ROWS } from '../../src/core/limits.ts'
import { requireKey } from '../http/api-key.ts'
import { type Loader, readAtVersion } from '../http/bodies.ts'
import type { Operation } from '../http/document.ts'
import { createApp } from '../http/env.ts'
import { textParam } from '../http/query.ts'
import {
  commonHeaders,
  errorResponse,
  internalErrorResponse,
  invalidQueryResponse,
  keyRefusedResponse,
  textHeader,
} from '../http/responses.ts'
import { validQuery } from '../http/validation.ts'

export const training = createApp()

const ExportQuery = z.object({
  after: textParam(
    'The id of the last row you have read',
    z.refine((id) => UUID.test(id.toLowerCase()), 'must be the id of a row of this site'),
  ),
})

export const exportTrainingOperation = (): Operation => ({
  route: 'GET /sites/:siteId/training/export',
  operationId: 'exportTraining',
  summary: 'Export opted-in training rows as NDJSON',
  description: `Returns at most ${MAX_TRAINING_ROWS} rows, oldest first. If there are more, a \`Link\` header with \`rel="next"\` leads to them. The key must have the access \`full\`.`,
  query: ExportQuery,
  responses: {
    200: {
      description: 'One training row per line',
      headers: {
        ...commonHeaders,
        'Cache-Control': textHeader('The export is not cached', 'no-store'),
        Link: textHeader(
          'The next rows, if there are more',
          '<https://api.example.com/api/v1/sites/0b9c1d2e-3f40-4a51-8b62-7c8d9e0f1a2b/training/export?after=6e2d7f0a-54c1-4b0e-9d3f-8a1c2b3d4e5f>; rel="next"',
        ),
      },
      content: {
        'application/x-ndjson': {
          schema: z.string().check(
            z.meta({
              description: 'Each line is a TrainingRow in JSON and ends with LF',
              contentMediaType: 'application/x-ndjson',
              contentSchema: { $ref: '#/components/schemas/TrainingRow' },
            }),
          ),
        },
      },
    },
    ...invalidQueryResponse,
    ...keyRefusedResponse,
    403: errorResponse('The site has not opted in to training'),
    ...internalErrorResponse,
  },
})

export const loadTrainingRows =
  (after: string | null): Loader<{ body: AsyncIterable<string>; next: string | null }> =>
  async (ctx, site) => {
    const { rows, next } = await exportTrainingRows(ctx, site, after)
    return { body: lines(rows), next }
  }

training.get('/sites/:siteId/training/export', validQuery(ExportQuery), async (c) => {
  const auth = await requireKey(c)
  if (!auth.site.trainingOptIn) throw new AppError('training_disabled')
  const after = c.req.valid('query').after ?? null
  const { contentVersion } = auth.site
  const load = loadTrainingRows(after)
  const { loaded, body } = await readAtVersion(c.get('ctx'), auth, contentVersion, load)
  if (loaded.next) {
    const url = new URL(c.req.url)
    url.search = `?after=${loaded.next}`
    c.header('Link', `<${url}>; rel="next"`)
  }
  c.header('Cache-Control', 'no-store')
  c.header('Content-Type', 'application/x-ndjson; charset=utf-8')
  return c.body(body, 200)
})

async function* lines(rows: AsyncIterable<TrainingRow>): AsyncGenerator<string> {
  for await (const row of rows) yield `${JSON.stringify(row)}\n`
}
