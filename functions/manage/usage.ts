/** `/sites/{siteId}/usage`. */
import { zValidator } from '@hono/zod-validator'
import * as z from 'zod/mini'
import { KeyUsage, listKeyUsage, MONTH } from '../../src/sites/usage-by-key.ts'
import type { Operation } from '../http/document.ts'
import { createApp } from '../http/env.ts'
import { textParam } from '../http/query.ts'
import { jsonResponse } from '../http/responses.ts'
import { refuseInvalid } from '../http/validation.ts'
import { siteErrors } from './responses.ts'
import { siteOf } from './route.ts'

export const usage = createApp()

const UsageQuery = z.object({
  month: textParam(
    'The month to list by day. If left out, lists all months',
    z.regex(MONTH, 'must be a month such as 2026-11'),
  ),
})

const Usage = z.object({
  items: z.array(KeyUsage),
  isCurrent: z
    .boolean()
    .check(z.describe('False if Redis is unreachable. Up to an hour of today is then missing')),
})

export const getUsageOperation = (): Operation => ({
  route: 'GET /sites/:siteId/usage',
  operationId: 'getUsage',
  summary: 'List the requests of a site, by month or day and by key',
  description:
    'The newest period comes first, and in each period the keys with the most requests. As with the quota, refused requests, 304 responses and requests made while Redis is unreachable are not counted. Usage is kept as long as the site exists.',
  query: UsageQuery,
  responses: { 200: jsonResponse(Usage, 'The number of requests'), ...siteErrors },
})

usage.get('/sites/:siteId/usage', zValidator('query', UsageQuery, refuseInvalid), async (c) => {
  const { month = null } = c.req.valid('query')
  const { items, isWithoutToday } = await listKeyUsage(c.get('ctx'), await siteOf(c), month, new Date())
  return c.json({ items, isCurrent: !isWithoutToday })
})
