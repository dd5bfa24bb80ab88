/** `/sweep`. */
import { Hono } from 'hono'
import * as z from 'zod/mini'
import { sweepAll } from '../../src/sweep.ts'
import type { Operation } from '../http/document.ts'
import type { Env } from '../http/env.ts'
import { jsonResponse } from '../http/responses.ts'
import { errorResponses, tooLargeResponse } from './responses.ts'

export const sweeps = new Hono<Env>()

export const sweepOperation = (): Operation => ({
  route: 'POST /sweep',
  operationId: 'sweep',
  summary: 'Run the hourly sweep now: reads are right after SQL by hand, and lost events are sent',
  responses: {
    200: jsonResponse(
      z.record(z.string(), z.nullable(z.int())),
      'How many rows or sites each job changed; null for one that failed',
    ),
    ...errorResponses,
    ...tooLargeResponse,
  },
})

sweeps.post('/sweep', async (c) => c.json(await sweepAll(c.get('ctx'), new Date())))
