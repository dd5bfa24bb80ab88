/** `/sweep`. */
import * as z from 'zod/mini'
import { requireRole } from '../../src/core/actor.ts'
import { sweepAll } from '../../src/jobs.ts'
import type { Operation } from '../http/document.ts'
import { createApp } from '../http/env.ts'
import { jsonResponse } from '../http/responses.ts'
import { bodyErrors, commonErrors } from './responses.ts'

export const sweeps = createApp()

export const sweepOperation = (): Operation => ({
  route: 'POST /sweep',
  operationId: 'sweep',
  summary: 'Run the hourly sweep now',
  description:
    'Makes reads correct after SQL by hand, sends lost events, and re-encrypts webhook secrets with the newest key: `countSecretsLeft` is how many still need an older one. If a job fails, the others still run.',
  responses: {
    200: jsonResponse(
      z.record(z.string(), z.nullable(z.int())),
      'The number of rows or sites that each job changed. Null if the job failed',
    ),
    ...commonErrors,
    ...bodyErrors,
  },
})

sweeps.post('/sweep', async (c) => {
  requireRole(c.get('ctx'), 'admin')
  return c.json(await sweepAll(c.get('ctx'), new Date()))
})
