/** `POST /webhooks/test`. */
import * as z from 'zod/mini'
import { AppError } from '../../src/core/errors.ts'
import { UUID } from '../../src/core/ids.ts'
import { responseSchema } from '../../src/core/zod.ts'
import { sendTestEvent } from '../../src/webhooks/test-event.ts'
import { requireKey } from '../http/api-key.ts'
import type { Operation } from '../http/document.ts'
import { createApp } from '../http/env.ts'
import { textParam } from '../http/query.ts'
import {
  errorResponse,
  integerHeader,
  internalErrorResponse,
  jsonResponse,
  keyRefusedResponse,
  textHeader,
} from '../http/responses.ts'
import { validQuery } from '../http/validation.ts'

export const webhooks = createApp()

const TestResult = /* @__PURE__ */ responseSchema(() =>
  z
    .object({
      ok: z.boolean(),
      status: z.int().check(z.describe("The receiver's HTTP status, or 0 if it did not respond")),
      delivered: z.boolean(),
      endpointId: z
        .optional(z.uuid())
        .check(z.meta({ description: 'The webhook from the request', 'x-addition': true })),
    })
    .register(z.globalRegistry, { id: 'WebhookTestResult' }),
)

const TestQuery = z.object({
  endpointId: textParam(
    'The webhook to test. Defaults to the first one',
    z.refine((text) => UUID.test(text.toLowerCase()), 'must be a UUID'),
    { format: 'uuid', 'x-addition': true },
  ),
})

export const testWebhookOperation = (): Operation => ({
  route: 'POST /webhooks/test',
  operationId: 'testWebhook',
  summary: "Send a webhook.test event to the site's webhook",
  description:
    'The event is signed, sent once and logged like every event. A site can send 10 test events a minute. The key must have the access `full`.',
  query: TestQuery,
  responses: {
    200: jsonResponse(TestResult, 'The result of the delivery', {
      'Cache-Control': textHeader('The result is not cached', 'no-store'),
    }),
    400: errorResponse('No webhook URL is configured, or a query parameter is invalid'),
    ...keyRefusedResponse,
    404: errorResponse('The site has no webhook with this id'),
    429: errorResponse('More than 10 test events within a minute', {
      'Retry-After': integerHeader('Seconds until you can send the next one', 42),
    }),
    ...internalErrorResponse,
  },
})

webhooks.post('/webhooks/test', validQuery(TestQuery), async (c) => {
  const { site } = await requireKey(c)
  const { endpointId } = c.req.valid('query')
  const tested = await sendTestEvent(c.get('ctx'), site, endpointId?.toLowerCase())
  if ('refused' in tested) {
    c.header('Retry-After', String(tested.retryAfterSeconds))
    throw new AppError('too_many_tests')
  }
  const outcome = tested.sent?.outcome
  const delivered = outcome !== undefined && outcome.error === null
  c.header('Cache-Control', 'no-store')
  return c.json(
    { ok: delivered, status: outcome?.status ?? 0, delivered, ...(endpointId && { endpointId }) },
    200,
  )
})
