/** `/sites/{siteId}/webhook`: the first webhook, and the events and deliveries of all webhooks. */
import { zValidator } from '@hono/zod-validator'
import * as z from 'zod/mini'
import { eventKinds } from '../../src/core/enums.ts'
import { resendEvent } from '../../src/webhooks/deliver.ts'
import {
  deleteWebhook,
  Endpoint,
  EndpointInput,
  getWebhook,
  type ListedEndpoint,
  rotateWebhookSecret,
  setWebhook,
} from '../../src/webhooks/endpoint.ts'
import { Event, listEvents } from '../../src/webhooks/event.ts'
import { Delivery, DeliveryInFull, getDelivery, listDeliveries, outcomes } from '../../src/webhooks/log.ts'
import type { Operation } from '../http/document.ts'
import { createApp } from '../http/env.ts'
import { oneOfParam, timeParam, wordsParam } from '../http/query.ts'
import { idOf } from '../http/request.ts'
import { errorResponse, jsonResponse } from '../http/responses.ts'
import { refuseInvalid } from '../http/validation.ts'
import { bodyErrors, noContentResponse, pageResponse, siteErrors } from './responses.ts'
import { PageQuery, paging, siteOf } from './route.ts'

export const webhooks = createApp()

export const setWebhookOperation = (): Operation => ({
  route: 'PUT /sites/:siteId/webhook',
  operationId: 'setWebhook',
  summary: 'Set the URL, events and name of the first webhook',
  description:
    'The first call creates the secret and is the only one to return it. Later calls keep the secret, and keep `events` and `name` if you leave them out. `article.ready` is always sent.',
  body: EndpointInput,
  responses: {
    200: jsonResponse(
      z.extend(Endpoint, { secret: z.null() }),
      'The updated webhook. The secret stays the same',
    ),
    201: jsonResponse(
      z.extend(Endpoint, { secret: z.string() }),
      'The new webhook with its secret, shown only once',
    ),
    ...siteErrors,
    ...bodyErrors,
  },
})

webhooks.put('/sites/:siteId/webhook', zValidator('json', EndpointInput, refuseInvalid), async (c) => {
  const { secret, ...listed } = await setWebhook(c.get('ctx'), await siteOf(c), c.req.valid('json'))
  const endpoint = withoutId(listed)
  return secret === null ? c.json({ ...endpoint, secret }, 200) : c.json({ ...endpoint, secret }, 201)
})

export const getWebhookOperation = (): Operation => ({
  route: 'GET /sites/:siteId/webhook',
  operationId: 'getWebhook',
  summary: 'Get the first webhook',
  description:
    'The secret is not shown. After a rotation, the previous secret signs until `previousSecretExpiresAt`.',
  responses: { 200: jsonResponse(Endpoint, 'The webhook'), ...siteErrors },
})

webhooks.get('/sites/:siteId/webhook', async (c) =>
  c.json(withoutId(await getWebhook(c.get('ctx'), await siteOf(c)))),
)

/** The path already identifies the first webhook. */
function withoutId<Of extends ListedEndpoint>({ id: _, ...endpoint }: Of) {
  return endpoint
}

export const removeWebhookOperation = (): Operation => ({
  route: 'DELETE /sites/:siteId/webhook',
  operationId: 'removeWebhook',
  summary: 'Remove the first webhook and its secret',
  description: 'Pending events are not sent. Their deliveries fail with `endpoint_removed`.',
  responses: { 204: noContentResponse, ...siteErrors },
})

webhooks.delete('/sites/:siteId/webhook', async (c) => {
  await deleteWebhook(c.get('ctx'), await siteOf(c))
  return c.body(null, 204)
})

export const rotateWebhookSecretOperation = (): Operation => ({
  route: 'POST /sites/:siteId/webhook/secret-rotations',
  operationId: 'rotateWebhookSecret',
  summary: 'Rotate the secret of the first webhook',
  description:
    'For 24 hours, `webhook-signature` contains a signature with each secret. A second rotation in that time ends the overlap of the first.',
  responses: {
    201: jsonResponse(
      z.extend(Endpoint, { secret: z.string() }),
      'The webhook with its new secret, shown only once',
    ),
    ...siteErrors,
    ...bodyErrors,
  },
})

webhooks.post('/sites/:siteId/webhook/secret-rotations', async (c) =>
  c.json(withoutId(await rotateWebhookSecret(c.get('ctx'), await siteOf(c))), 201),
)

export const listEventsOperation = (): Operation => ({
  route: 'GET /sites/:siteId/events',
  operationId: 'listEvents',
  summary: 'List events, newest first',
  description:
    'Finished events are kept for 90 days by default. If `next` is not null, pass it as `cursor` to get the next page.',
  query: PageQuery,
  responses: { 200: pageResponse(Event, 'A page of events'), ...siteErrors },
})

webhooks.get('/sites/:siteId/events', zValidator('query', PageQuery, refuseInvalid), async (c) =>
  c.json(await listEvents(c.get('ctx'), await siteOf(c), paging(c.req.valid('query')))),
)

export const resendEventOperation = (): Operation => ({
  route: 'POST /sites/:siteId/events/:eventId/resends',
  operationId: 'resendEvent',
  summary: 'Resend an event',
  description:
    'Sends a finished event immediately to the current URL of its webhook, even if it was delivered before. The id and body stay the same; the timestamp and signature are new. The log shows it as a separate delivery.',
  responses: {
    201: jsonResponse(DeliveryInFull, 'The logged delivery'),
    409: errorResponse('The event is still being delivered'),
    ...siteErrors,
    ...bodyErrors,
  },
})

webhooks.post('/sites/:siteId/events/:eventId/resends', async (c) => {
  const site = await siteOf(c)
  return c.json(await resendEvent(c.get('ctx'), site, idOf(c, 'eventId', 'event_not_found')), 201)
})

const DeliveriesQuery = z.extend(PageQuery, {
  event: oneOfParam(eventKinds, { description: 'Only attempts for this event type' }),
  outcome: oneOfParam(outcomes, {
    description:
      'Only attempts with this outcome. `not_sent`: nothing was sent. `not_arrived`: the last attempt of each event that failed and was not delivered by another attempt',
  }),
  search: wordsParam('Words from the slug and title of the post, in any order, or the start of an event id'),
  since: timeParam('Only attempts at or after this time'),
  until: timeParam('Only attempts before this time'),
})

export const listDeliveriesOperation = (): Operation => ({
  route: 'GET /sites/:siteId/deliveries',
  operationId: 'listDeliveries',
  summary: 'List delivery attempts, newest first',
  description:
    '`status` is null if the receiver did not respond. `error` is null if it responded with 2xx. Both are null while the attempt is in progress.',
  query: DeliveriesQuery,
  responses: { 200: pageResponse(Delivery, 'A page of attempts'), ...siteErrors },
})

webhooks.get('/sites/:siteId/deliveries', zValidator('query', DeliveriesQuery, refuseInvalid), async (c) => {
  const query = c.req.valid('query')
  return c.json(await listDeliveries(c.get('ctx'), await siteOf(c), paging(query), query))
})

export const getDeliveryOperation = (): Operation => ({
  route: 'GET /sites/:siteId/deliveries/:deliveryId',
  operationId: 'getDelivery',
  summary: 'Get a delivery attempt',
  description:
    'Includes the headers and body that were sent, and the beginning of the response. Only editors and admins see the signatures.',
  responses: { 200: jsonResponse(DeliveryInFull, 'The attempt'), ...siteErrors },
})

webhooks.get('/sites/:siteId/deliveries/:deliveryId', async (c) => {
  const site = await siteOf(c)
  return c.json(await getDelivery(c.get('ctx'), site, idOf(c, 'deliveryId', 'delivery_not_found')))
})
