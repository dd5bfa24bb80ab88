/** `/sites/{siteId}/webhook`, its events and its deliveries. */
import { Endpoint, EndpointInput, get, remove, rotate, set } from '../../src/webhooks/endpoint.ts'
import { Event, listEvents } from '../../src/webhooks/event.ts'
import { Delivery, listDeliveries } from '../../src/webhooks/log.ts'
import { json } from '../http/answers.ts'
import { createApp, named } from '../http/openapi.ts'
import {
  body,
  createRoute,
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

const setWebhook = createRoute({
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

webhooks.openapi(setWebhook, async (c) => {
  const { secret, ...endpoint } = await set(c.get('ctx'), await siteOf(c), c.req.valid('json'))
  return secret === null ? c.json({ ...endpoint, secret }, 200) : c.json({ ...endpoint, secret }, 201)
})

const getWebhook = createRoute({
  method: 'get',
  path: '/sites/{siteId}/webhook',
  operationId: 'getWebhook',
  summary: 'Show the webhook, without its secret',
  request: { params: sitePath },
  responses: { 200: json(EndpointAnswer, 'The endpoint'), ...refusals },
})

webhooks.openapi(getWebhook, async (c) => c.json(await get(c.get('ctx'), await siteOf(c)), 200))

const removeWebhook = createRoute({
  method: 'delete',
  path: '/sites/{siteId}/webhook',
  operationId: 'removeWebhook',
  summary: 'Remove the webhook with its secret',
  request: { params: sitePath },
  responses: { 204: noContent, ...refusals },
})

webhooks.openapi(removeWebhook, async (c) => {
  await remove(c.get('ctx'), await siteOf(c))
  return c.body(null, 204)
})

const rotateSecret = createRoute({
  method: 'post',
  path: '/sites/{siteId}/webhook/secret-rotations',
  operationId: 'rotateWebhookSecret',
  summary: 'Make a new secret; for 24 hours webhook-signature bears both',
  request: { params: sitePath },
  responses: {
    201: json(Endpoint.extend({ secret: z.string() }), 'The new secret, shown this once'),
    ...refusals,
  },
})

webhooks.openapi(rotateSecret, async (c) => c.json(await rotate(c.get('ctx'), await siteOf(c)), 201))

const listWebhookEvents = createRoute({
  method: 'get',
  path: '/sites/{siteId}/events',
  operationId: 'listEvents',
  summary: 'List events, newest first',
  request: { params: sitePath, query: pageQuery },
  responses: { 200: page(named('Event', Event), 'A page of events'), ...refusals },
})

webhooks.openapi(listWebhookEvents, async (c) =>
  c.json(await listEvents(c.get('ctx'), await siteOf(c), paging(c.req.valid('query'))), 200),
)

const listWebhookDeliveries = createRoute({
  method: 'get',
  path: '/sites/{siteId}/deliveries',
  operationId: 'listDeliveries',
  summary: 'List delivery attempts, newest first',
  request: { params: sitePath, query: pageQuery },
  responses: { 200: page(named('Delivery', Delivery), 'A page of attempts'), ...refusals },
})

webhooks.openapi(listWebhookDeliveries, async (c) =>
  c.json(await listDeliveries(c.get('ctx'), await siteOf(c), paging(c.req.valid('query'))), 200),
)
