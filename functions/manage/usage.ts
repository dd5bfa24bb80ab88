/** `/sites/{siteId}/usage`. */
import { zValidator } from '@hono/zod-validator'
import * as z from 'zod/mini'
import { KeyUsage, listKeyUsage, MONTH } from '../../src/sites/usage-by-key.ts'
import { createApp } from '../http/create-app.ts'
import type { Operation } from '../http/document.ts'
import { textParam } from '../http/query.ts'
import { jsonResponse } from '../http/responses.ts'
import { refuseInvalid } from '../http/validation.ts'
import { siteErrors } from './responses.ts'
import { siteOf } from './route.ts'

export const usage = createApp()

const UsageQuery = z.object({
  month: textParam(
    'The month whose days are told apart; without it all months',
    z.regex(MONTH, 'must be a month such as 2026-11'),
  ),
})

const Usage = z.object({
  items: z.array(KeyUsage),
  isCurrent: z
    .boolean()
    .check(z.describe('False while Redis cannot be reached: then up to an hour of today is missing')),
})

export const getUsageOperation = (): Operation => ({
  route: 'GET /sites/:siteId/usage',
  operationId: 'getUsage',
  summary: 'Count the requests of a site by month, or by day, and key',
  description:
    'The newest first, and in each the keys with the most. As in the quota, what was answered with 304 or refused is not counted, nor is anything while Redis cannot be reached. Kept for as long as the site is.',
  query: UsageQuery,
  responses: { 200: jsonResponse(Usage, 'The requests'), ...siteErrors },
})

usage.get('/sites/:siteId/usage', zValidator('query', UsageQuery, refuseInvalid), async (c) => {
  const { month = null } = c.req.valid('query')
  const { items, isWithoutToday } = await listKeyUsage(c.get('ctx'), await siteOf(c), month, new Date())
  return c.json({ items, isCurrent: !isWithoutToday })
})
