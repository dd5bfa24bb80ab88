/** Webhook events, for the OpenAPI document. */

import * as z from 'zod/mini'
import { eventKinds } from '../../src/core/enums.ts'
import { events, isOptional, operationIdOf, payloadSchema } from '../../src/webhooks/event-kinds.ts'
import type { EventDescription, RequestHeader } from '../http/document.ts'

const SENT =
  'Respond within 8 seconds. Each event is sent once, without automatic retries. The operator can resend it with the same `webhook-id` and body, so ignore an id you have seen. Accept an event only if its signature is valid and its timestamp is at most 5 minutes old. The secret of the example is `whsec_` and then `MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw`, and its body has no white space.'

const TIMESTAMP = 'The time this attempt was signed, in Unix seconds'

const header = (name: string, description: string, schema: object = { type: 'string' }): RequestHeader => ({
  name,
  description,
  schema,
})
const digits = { type: 'string', pattern: '^[0-9]+$' }
const hexDigits = { type: 'string', pattern: '^[0-9a-f]{64}$' }

const HEADERS: RequestHeader[] = [
  header('X-Service-Timestamp', TIMESTAMP, digits),
  header(
    'X-Service-Signature',
    'Hex HMAC-SHA256 of `{X-Service-Timestamp}.{raw body}`, keyed with the whole secret, including `whsec_`',
    hexDigits,
  ),
  { ...header('X-Legacy-Timestamp', 'Use `X-Service-Timestamp` instead', digits), deprecated: true },
  { ...header('X-Legacy-Signature', 'Use `X-Service-Signature` instead', hexDigits), deprecated: true },
  header('webhook-id', 'The id of the event, which stays the same if it is resent', {
    type: 'string',
    format: 'uuid',
  }),
  header('webhook-timestamp', TIMESTAMP, digits),
  header(
    'webhook-signature',
    'As in Standard Webhooks: `v1,` and the base64 HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{raw body}`, keyed with the base64-decoded part of the secret after `whsec_`. For 24 hours after a rotation it contains two signatures, separated by a space: one for each secret.',
  ),
  header('User-Agent', 'The name of the sender'),
]

const RESPONSES = {
  '2XX': { description: 'Delivered. The response body is ignored.' },
  '3XX': { description: 'Failed. Redirects are not followed' },
  '4XX': { description: 'Failed. The event is not retried automatically' },
  '5XX': { description: 'Failed. The event is not retried automatically' },
}

export const describeEvents = (): EventDescription[] =>
  eventKinds.map((event) => {
    const { summary, description } = events[event]
    const operationId = operationIdOf(event)
    const id = operationId.charAt(0).toUpperCase() + operationId.slice(1)
    return {
      event,
      operationId,
      summary,
      description: `${isOptional(event) ? 'Optional: sent only if it is switched on. ' : ''}${description} ${SENT}`,
      tag: 'Webhooks',
      headers: HEADERS,
      body: payloadSchema(event).register(z.globalRegistry, { id }),
      responses: RESPONSES,
    }
  })
