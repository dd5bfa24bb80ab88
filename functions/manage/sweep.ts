/** `/sweep`. */
import * as z from 'zod/mini'
import { requireRole } from '../../src/core/actor.ts'
import { sweepAll } from '../../src/jobs.ts'
import { createApp } from '../http/create-app.ts'
import type { Operation } from '../http/document.ts'
import { jsonResponse } from '../http/responses.ts'
import { bodyErrors, commonErrors } from './responses.ts'

export const sweeps = createApp()

export const sweepOperation = (): Operation => ({
  route: 'POST /sweep',
  operationId: 'sweep',
  summary: 'Run the hourly sweep now: reads are right after SQL by hand, and lost events are sent',
  description: 'Also re-encrypts webhook secrets with the newest key. Jobs fail one by one.',
  responses: {
    200: jsonResponse(
      z.record(z.string(), z.nullable(z.int())),
      'How many rows or sites each job changed; null for one that failed',
    ),
    ...commonErrors,
    ...bodyErrors,
  },
})

sweeps.post('/sweep', async (c) => {
  requireRole(c.get('ctx'), 'admin')
  return c.json(await sweepAll(c.get('ctx'), new Date()))
})
