/** `/sites/{siteId}/resends`: resends all failed events. */
import { zValidator } from '@hono/zod-validator'
import * as z from 'zod/mini'
import { MAX_RESENT_PER_SECOND } from '../../src/core/limits.ts'
import { Instant } from '../../src/core/time.ts'
import {
  countFailed,
  FailedCount,
  getResend,
  listResends,
  Resend,
  startResend,
  stopResend,
} from '../../src/webhooks/resend.ts'
import type { Operation } from '../http/document.ts'
import { createApp } from '../http/env.ts'
import { flagParam, idParam, timeParam } from '../http/query.ts'
import { idOf } from '../http/request.ts'
import { jsonResponse } from '../http/responses.ts'
import { refuseInvalid } from '../http/validation.ts'
import { bodyErrors, pageResponse, siteErrors } from './responses.ts'
import { PageQuery, paging, siteOf } from './route.ts'

export const resends = createApp()

const ResendInput = z.strictObject({
  webhookId: z.optional(z.uuid()),
  failedSince: z.optional(Instant),
  failedUntil: z.optional(Instant),
  includeInterrupted: z.optional(z.boolean()),
  perSecond: z.optional(z.int().check(z.minimum(1), z.maximum(MAX_RESENT_PER_SECOND))),
})

export const startResendOperation = (): Operation => ({
  route: 'POST /sites/:siteId/resends',
  operationId: 'startResend',
  summary: 'Resend failed events',
  description: `Sends every event that failed and has not been delivered since, once each, to the current URL of its webhook. Tests are left out. The oldest failure is sent first. The resend runs in the background. \`webhookId\` limits it to one webhook (for the first webhook, use the site's id), and \`failedSince\` and \`failedUntil\` to events that failed in that time. \`perSecond\` (1 to ${MAX_RESENT_PER_SECOND}) limits the rate; the default is as fast as the queue allows. A site has one running resend at a time: if one is running, the response is that resend, with 200. Events that were being sent when the service crashed may have been delivered. They are counted as \`interrupted\` and skipped unless \`includeInterrupted\` is true.`,
  body: ResendInput,
  responses: {
    200: jsonResponse(Resend, 'The resend that is already running'),
    201: jsonResponse(Resend, 'The new resend. It has already ended if there was nothing to send'),
    ...siteErrors,
    ...bodyErrors,
  },
})

resends.post('/sites/:siteId/resends', zValidator('json', ResendInput, refuseInvalid), async (c) => {
  const { resend, isNew } = await startResend(c.get('ctx'), await siteOf(c), c.req.valid('json'))
  return c.json(resend, isNew ? 201 : 200)
})

export const listResendsOperation = (): Operation => ({
  route: 'GET /sites/:siteId/resends',
  operationId: 'listResends',
  summary: 'List resends, newest first',
  description:
    'Resends are kept for 90 days by default. If `next` is not null, pass it as `cursor` to get the next page.',
  query: PageQuery,
  responses: { 200: pageResponse(Resend, 'A page of resends'), ...siteErrors },
})

resends.get('/sites/:siteId/resends', zValidator('query', PageQuery, refuseInvalid), async (c) =>
  c.json(await listResends(c.get('ctx'), await siteOf(c), paging(c.req.valid('query')))),
)

const resendIdOf = (c: Parameters<typeof idOf>[0]) => idOf(c, 'resendId', 'resend_not_found')

export const getResendOperation = (): Operation => ({
  route: 'GET /sites/:siteId/resends/:resendId',
  operationId: 'getResend',
  summary: 'Get a resend',
  description:
    'Shows its progress and its result. A resend is running while `ending` is null. `done` means that nothing is left to send. Events that were delivered in the meantime are not sent again and count as `notSent`.',
  responses: { 200: jsonResponse(Resend, 'The resend'), ...siteErrors },
})

resends.get('/sites/:siteId/resends/:resendId', async (c) =>
  c.json(await getResend(c.get('ctx'), await siteOf(c), resendIdOf(c))),
)

export const stopResendOperation = (): Operation => ({
  route: 'PUT /sites/:siteId/resends/:resendId/stop',
  operationId: 'stopResend',
  summary: 'Stop a resend',
  description:
    'Events that are being sent are still sent. Events that are not sent yet stay failed. To send the rest, start a resend with the same `failedUntil`: it skips events that have failed again. Does nothing if the resend has ended.',
  responses: { 200: jsonResponse(Resend, 'The ended resend'), ...siteErrors, ...bodyErrors },
})

resends.put('/sites/:siteId/resends/:resendId/stop', async (c) =>
  c.json(await stopResend(c.get('ctx'), await siteOf(c), resendIdOf(c))),
)

const FailedQuery = z.object({
  webhookId: idParam("Only events of this webhook. For the first webhook, use the site's id"),
  failedSince: timeParam('Only events that failed at or after this time'),
  failedUntil: timeParam('Only events that failed at or before this time'),
  includeInterrupted: flagParam('Also count interrupted events, which may have been delivered', {}),
})

export const countFailedOperation = (): Operation => ({
  route: 'GET /sites/:siteId/events/failed',
  operationId: 'countFailedEvents',
  summary: 'Count failed events',
  description: 'Returns how many events `startResend` would send with the same parameters. Sends nothing.',
  query: FailedQuery,
  responses: { 200: jsonResponse(FailedCount, 'The counts'), ...siteErrors },
})

resends.get('/sites/:siteId/events/failed', zValidator('query', FailedQuery, refuseInvalid), async (c) => {
  const { count } = await countFailed(c.get('ctx'), await siteOf(c), c.req.valid('query'))
  return c.json(count)
})
