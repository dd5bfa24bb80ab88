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
import { createApp } from '../http/create-app.ts'
import type { Operation } from '../http/document.ts'
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
  summary: 'Set the URL and the events of the first webhook; an existing secret is kept',
  description:
    'The secret is made with the first URL and shown in that answer alone. `events` are kept if they are left out; `article.ready` is always sent.',
  body: EndpointInput,
  responses: {
    200: jsonResponse(z.extend(Endpoint, { secret: z.null() }), 'The URL was changed, the secret kept'),
    201: jsonResponse(
      z.extend(Endpoint, { secret: z.string() }),
      'The endpoint with its secret, shown this once',
    ),
    ...siteErrors,
    ...bodyErrors,
  },
})

webhooks.put('/sites/:siteId/webhook', zValidator('json', EndpointInput, refuseInvalid), async (c) => {
  const { secret, ...endpoint } = await setWebhook(c.get('ctx'), await siteOf(c), c.req.valid('json'))
  return secret === null ? c.json({ ...endpoint, secret }, 200) : c.json({ ...endpoint, secret }, 201)
})

export const getWebhookOperation = (): Operation => ({
  route: 'GET /sites/:siteId/webhook',
  operationId: 'getWebhook',
  summary: 'Show the first webhook, without its secret',
  description: '`previousSecretExpiresAt` is when the secret before the last rotation signs no longer.',
  responses: { 200: jsonResponse(Endpoint, 'The endpoint'), ...siteErrors },
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
  summary: 'Remove the first webhook with its secret',
  description: 'Events that wait are not sent: their deliveries end as `endpoint_removed`.',
  responses: { 204: noContentResponse, ...siteErrors },
})

webhooks.delete('/sites/:siteId/webhook', async (c) => {
  await deleteWebhook(c.get('ctx'), await siteOf(c))
  return c.body(null, 204)
})

export const rotateWebhookSecretOperation = (): Operation => ({
  route: 'POST /sites/:siteId/webhook/secret-rotations',
  operationId: 'rotateWebhookSecret',
  summary: 'Rotate the secret; for 24 hours webhook-signature has both signatures',
  description: 'A second rotation within 24 hours ends the overlap of the first.',
  responses: {
    201: jsonResponse(z.extend(Endpoint, { secret: z.string() }), 'The new secret, shown this once'),
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
    'Finished ones are kept for 90 days. While `next` is not null, it is the `cursor` of the next page.',
  query: PageQuery,
  responses: { 200: pageResponse(Event, 'A page of events'), ...siteErrors },
})

webhooks.get('/sites/:siteId/events', zValidator('query', PageQuery, refuseInvalid), async (c) =>
  c.json(await listEvents(c.get('ctx'), await siteOf(c), paging(c.req.valid('query')))),
)

export const resendEventOperation = (): Operation => ({
  route: 'POST /sites/:siteId/events/:eventId/resends',
  operationId: 'resendEvent',
  summary: 'Send a finished event again, at once: same id and body, new timestamp and signature',
  description:
    'To the URL that its webhook has now, even if it was delivered before. It is a delivery of its own in the log.',
  responses: {
    201: jsonResponse(DeliveryInFull, 'The delivery, as logged'),
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
  event: oneOfParam(eventKinds, { description: 'Only of these events' }),
  outcome: oneOfParam(outcomes, {
    description:
      'Only deliveries with this outcome; `not_sent` are those of which nothing was sent, `not_arrived` is the last attempt at each event that failed and has not arrived by another',
  }),
  search: wordsParam('Words of the slug and title of the post, in any order, or the start of an event id'),
  since: timeParam('Attempts from then on'),
  until: timeParam('Attempts before then'),
})

export const listDeliveriesOperation = (): Operation => ({
  route: 'GET /sites/:siteId/deliveries',
  operationId: 'listDeliveries',
  summary: 'List delivery attempts, newest first',
  description:
    '`status` is null if no answer came, `error` is null if the receiver answered 2xx; both are null while it is under way.',
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
  summary: 'Show a delivery attempt with what was sent and answered',
  description: 'The headers and the body as they were sent; the signatures for editors and admins only.',
  responses: { 200: jsonResponse(DeliveryInFull, 'The attempt'), ...siteErrors },
})

webhooks.get('/sites/:siteId/deliveries/:deliveryId', async (c) => {
  const site = await siteOf(c)
  return c.json(await getDelivery(c.get('ctx'), site, idOf(c, 'deliveryId', 'delivery_not_found')))
})
