/** `/sites/{siteId}/webhook`, its events and its deliveries. */
import { eventKinds } from '../../src/db/schema.ts'
import { resendEvent } from '../../src/webhooks/deliver.ts'
import {
  deleteWebhook,
  Endpoint,
  EndpointInput,
  getWebhook,
  rotateWebhookSecret,
  setWebhook,
} from '../../src/webhooks/endpoint.ts'
import { Event, listEvents } from '../../src/webhooks/event.ts'
import { Delivery, DeliveryInFull, getDelivery, listDeliveries, outcomes } from '../../src/webhooks/log.ts'
import { createApp, named, pathParameter } from '../http/openapi.ts'
import { oneOf } from '../http/query.ts'
import { failure, json } from '../http/responses.ts'
import {
  body,
  createRoute,
  idOf,
  noContent,
  page,
  pageQuery,
  paging,
  refusals,
  siteOf,
  sitePath,
  tooLarge,
  z,
} from './route.ts'

export const webhooks = createApp()

const EndpointAnswer = named('WebhookEndpoint', Endpoint)
const DeliveryAnswer = named('DeliveryInFull', DeliveryInFull)

const setWebhookRoute = createRoute({
  method: 'put',
  path: '/sites/{siteId}/webhook',
  operationId: 'setWebhook',
  summary: 'Set the webhook URL; a secret that is there already is kept',
  request: { params: sitePath, body: body(EndpointInput) },
  responses: {
    200: json(Endpoint.extend({ secret: z.null() }), 'The URL was changed, the secret kept'),
    201: json(Endpoint.extend({ secret: z.string() }), 'The endpoint with its secret, shown this once'),
    ...refusals,
    ...tooLarge,
  },
})

webhooks.openapi(setWebhookRoute, async (c) => {
  const { secret, ...endpoint } = await setWebhook(c.get('ctx'), await siteOf(c), c.req.valid('json'))
  return secret === null ? c.json({ ...endpoint, secret }, 200) : c.json({ ...endpoint, secret }, 201)
})

const getWebhookRoute = createRoute({
  method: 'get',
  path: '/sites/{siteId}/webhook',
  operationId: 'getWebhook',
  summary: 'Show the webhook, without its secret',
  request: { params: sitePath },
  responses: { 200: json(EndpointAnswer, 'The endpoint'), ...refusals },
})

webhooks.openapi(getWebhookRoute, async (c) => c.json(await getWebhook(c.get('ctx'), await siteOf(c)), 200))

const removeWebhookRoute = createRoute({
  method: 'delete',
  path: '/sites/{siteId}/webhook',
  operationId: 'removeWebhook',
  summary: 'Remove the webhook with its secret',
  request: { params: sitePath },
  responses: { 204: noContent, ...refusals },
})

webhooks.openapi(removeWebhookRoute, async (c) => {
  await deleteWebhook(c.get('ctx'), await siteOf(c))
  return c.body(null, 204)
})

const rotateSecretRoute = createRoute({
  method: 'post',
  path: '/sites/{siteId}/webhook/secret-rotations',
  operationId: 'rotateWebhookSecret',
  summary: 'Make a new secret; for 24 hours webhook-signature bears both',
  request: { params: sitePath },
  responses: {
    201: json(Endpoint.extend({ secret: z.string() }), 'The new secret, shown this once'),
    ...refusals,
    ...tooLarge,
  },
})

webhooks.openapi(rotateSecretRoute, async (c) =>
  c.json(await rotateWebhookSecret(c.get('ctx'), await siteOf(c)), 201),
)

const listWebhookEventsRoute = createRoute({
  method: 'get',
  path: '/sites/{siteId}/events',
  operationId: 'listEvents',
  summary: 'List events, newest first',
  request: { params: sitePath, query: pageQuery },
  responses: { 200: page(named('Event', Event), 'A page of events'), ...refusals },
})

webhooks.openapi(listWebhookEventsRoute, async (c) =>
  c.json(await listEvents(c.get('ctx'), await siteOf(c), paging(c.req.valid('query'))), 200),
)

const resendWebhookEventRoute = createRoute({
  method: 'post',
  path: '/sites/{siteId}/events/{eventId}/resends',
  operationId: 'resendEvent',
  summary: 'Send a finished event again, at once: same id and body, new timestamp and signature',
  request: { params: sitePath.extend({ eventId: pathParameter('The event', 'uuid') }) },
  responses: {
    201: json(DeliveryAnswer, 'What came of it, as it is on the log'),
    409: failure('The event is still on its way'),
    ...refusals,
    ...tooLarge,
  },
})

webhooks.openapi(resendWebhookEventRoute, async (c) => {
  const site = await siteOf(c)
  return c.json(await resendEvent(c.get('ctx'), site, idOf(c, 'eventId', 'event_missing')), 201)
})

const listWebhookDeliveriesRoute = createRoute({
  method: 'get',
  path: '/sites/{siteId}/deliveries',
  operationId: 'listDeliveries',
  summary: 'List delivery attempts, newest first',
  request: {
    params: sitePath,
    query: pageQuery.extend({
      event: oneOf(eventKinds, { description: 'Only of these events' }),
      outcome: oneOf(outcomes, { description: 'Only those of which this has become' }),
    }),
  },
  responses: { 200: page(named('Delivery', Delivery), 'A page of attempts'), ...refusals },
})

webhooks.openapi(listWebhookDeliveriesRoute, async (c) => {
  const query = c.req.valid('query')
  return c.json(await listDeliveries(c.get('ctx'), await siteOf(c), paging(query), query), 200)
})

const getWebhookDeliveryRoute = createRoute({
  method: 'get',
  path: '/sites/{siteId}/deliveries/{deliveryId}',
  operationId: 'getDelivery',
  summary: 'Show a delivery attempt with what was sent and answered',
  request: { params: sitePath.extend({ deliveryId: pathParameter('The delivery', 'uuid') }) },
  responses: { 200: json(DeliveryAnswer, 'The attempt'), ...refusals },
})

webhooks.openapi(getWebhookDeliveryRoute, async (c) => {
  const site = await siteOf(c)
  return c.json(await getDelivery(c.get('ctx'), site, idOf(c, 'deliveryId', 'delivery_missing')), 200)
})
