/** Webhook events, for the OpenAPI document. */

import * as z from 'zod/mini'
import { eventKinds } from '../../src/core/enums.ts'
import { events, isOptional, operationIdOf, payloadSchema } from '../../src/webhooks/event-kinds.ts'
import type { EventDescription, RequestHeader } from '../http/document.ts'

const SENT =
  'Answer within 8 seconds. An event is sent once, without automatic retries; the operator can send it again, with the same `webhook-id` and body, so ignore an id you have seen. Take an event only if its signature is right and its timestamp is at most 5 minutes old. The secret of the example is `whsec_` and then `MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw`, and its body has no white space.'

const TIMESTAMP = 'Unix seconds at which this attempt was signed'

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
    'Hex HMAC-SHA256 of `{X-Service-Timestamp}.{raw body}`, keyed with the whole secret, `whsec_` included',
    hexDigits,
  ),
  { ...header('X-Legacy-Timestamp', 'Use `X-Service-Timestamp`', digits), deprecated: true },
  { ...header('X-Legacy-Signature', 'Use `X-Service-Signature`', hexDigits), deprecated: true },
  header('webhook-id', "The event's id, the same whenever it is sent", { type: 'string', format: 'uuid' }),
  header('webhook-timestamp', TIMESTAMP, digits),
  header(
    'webhook-signature',
    'As in Standard Webhooks: `v1,` and the base64 HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{raw body}`, keyed with the bytes that the secret after `whsec_` is the base64 of. For 24 hours after a rotation there are two, separated by a space: one for each secret.',
  ),
  header('User-Agent', 'The sender'),
]

const RESPONSES = {
  '2XX': { description: 'Delivered. The body is not needed.' },
  '3XX': { description: 'Not delivered: redirects are not followed' },
  '4XX': { description: 'Not delivered, and not sent again by itself' },
  '5XX': { description: 'Not delivered, and not sent again by itself' },
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
      description: `${isOptional(event) ? 'Only if it is switched on. ' : ''}${description} ${SENT}`,
      tag: 'Webhooks',
      headers: HEADERS,
      body: payloadSchema(event).register(z.globalRegistry, { id }),
      responses: RESPONSES,
    }
  })
