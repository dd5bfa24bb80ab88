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
import { createApp } from '../http/create-app.ts'
import type { Operation } from '../http/document.ts'
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
  summary: 'Send again all that failed and has not arrived, by the queue',
  description: `Each event once, those that failed first first, to the URL that its webhook has now: of one webhook with \`webhookId\` (of the first one the site's id), that failed from \`failedSince\` to \`failedUntil\`, as fast as the queue takes them or at most \`perSecond\` (1 to ${MAX_RESENT_PER_SECOND}). It goes on whoever watches, and ends by itself. A site has one at a time: while one goes on, another is not begun and the answer is that one, with 200. What was being sent when the service died may have arrived: it is counted as \`interrupted\` and left out without \`includeInterrupted\`.`,
  body: ResendInput,
  responses: {
    200: jsonResponse(Resend, 'The one that goes on already'),
    201: jsonResponse(Resend, 'It has begun, or had nothing to send and has ended'),
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
  summary: 'List the resends of all that failed, newest first',
  description: 'Kept for 90 days. While `next` is not null, it is the `cursor` of the next page.',
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
  summary: 'Show how far a resend is, or what came of it',
  description:
    'It goes on while `ending` is null. `done` has sent all; what it found to have arrived meanwhile is in `notSent`.',
  responses: { 200: jsonResponse(Resend, 'The resend'), ...siteErrors },
})

resends.get('/sites/:siteId/resends/:resendId', async (c) =>
  c.json(await getResend(c.get('ctx'), await siteOf(c), resendIdOf(c))),
)

export const stopResendOperation = (): Operation => ({
  route: 'PUT /sites/:siteId/resends/:resendId/stop',
  operationId: 'stopResend',
  summary: 'Stop a resend: what it has not sent yet stays as it was',
  description:
    'What is being sent is sent. Another one with its `failedUntil` sends the rest, and not what has failed again. One that has ended stays as it is.',
  responses: { 200: jsonResponse(Resend, 'The resend, which has ended'), ...siteErrors, ...bodyErrors },
})

resends.put('/sites/:siteId/resends/:resendId/stop', async (c) =>
  c.json(await stopResend(c.get('ctx'), await siteOf(c), resendIdOf(c))),
)

const FailedQuery = z.object({
  webhookId: idParam("Only of this webhook; of the first one, the site's id"),
  failedSince: timeParam('Failed from then on'),
  failedUntil: timeParam('Failed by then'),
  includeInterrupted: flagParam('Also what may have arrived', {}),
})

export const countFailedOperation = (): Operation => ({
  route: 'GET /sites/:siteId/events/failed',
  operationId: 'countFailedEvents',
  summary: 'Count what failed and has not arrived, without sending it',
  description: 'What `startResend` would send if it were asked the same.',
  query: FailedQuery,
  responses: { 200: jsonResponse(FailedCount, 'The counts'), ...siteErrors },
})

resends.get('/sites/:siteId/events/failed', zValidator('query', FailedQuery, refuseInvalid), async (c) => {
  const { count } = await countFailed(c.get('ctx'), await siteOf(c), c.req.valid('query'))
  return c.json(count)
})
