/** `/sites/{siteId}/webhooks`: the first webhook and up to four more. */
import { zValidator } from '@hono/zod-validator'
import * as z from 'zod/mini'
import {
  addWebhook,
  changeWebhook,
  deleteWebhook,
  EndpointChange,
  EndpointInput,
  ListedEndpoint,
  listWebhooks,
  rotateWebhookSecret,
} from '../../src/webhooks/endpoint.ts'
import type { Operation } from '../http/document.ts'
import { createApp, type Http } from '../http/env.ts'
import { idOf } from '../http/request.ts'
import { errorResponse, jsonResponse } from '../http/responses.ts'
import { refuseInvalid } from '../http/validation.ts'
import { bodyErrors, noContentResponse, pageResponse, siteErrors } from './responses.ts'
import { siteOf } from './route.ts'

export const webhookEndpoints = createApp()

const endpointIdOf = (c: Http) => idOf(c, 'endpointId', 'webhook_not_found')

const withSecret = () => z.extend(ListedEndpoint, { secret: z.string() })

export const listWebhookEndpointsOperation = (): Operation => ({
  route: 'GET /sites/:siteId/webhooks',
  operationId: 'listWebhookEndpoints',
  summary: 'List the webhooks of a site',
  description: "Secrets are not shown. The first webhook comes first, and its id is the site's id.",
  responses: { 200: pageResponse(ListedEndpoint, 'All webhooks; `next` is always null'), ...siteErrors },
})

webhookEndpoints.get('/sites/:siteId/webhooks', async (c) =>
  c.json({ items: await listWebhooks(c.get('ctx'), await siteOf(c)), next: null }),
)

export const addWebhookEndpointOperation = (): Operation => ({
  route: 'POST /sites/:siteId/webhooks',
  operationId: 'addWebhookEndpoint',
  summary: 'Add another webhook',
  description:
    'The webhook has its own URL, secret and events, and always receives `article.ready`. A site can have five webhooks: the first, which `setWebhook` creates, and four more.',
  body: EndpointInput,
  responses: {
    201: jsonResponse(withSecret(), 'The webhook with its secret, shown only once'),
    409: errorResponse('The site already has the maximum number of webhooks'),
    ...siteErrors,
    ...bodyErrors,
  },
})

webhookEndpoints.post(
  '/sites/:siteId/webhooks',
  zValidator('json', EndpointInput, refuseInvalid),
  async (c) => c.json(await addWebhook(c.get('ctx'), await siteOf(c), c.req.valid('json')), 201),
)

export const changeWebhookOperation = (): Operation => ({
  route: 'PATCH /sites/:siteId/webhooks/:endpointId',
  operationId: 'changeWebhook',
  summary: 'Update the URL, events or name of a webhook',
  description: 'Fields that you leave out stay the same, and so does the secret.',
  body: EndpointChange,
  responses: { 200: jsonResponse(ListedEndpoint, 'The updated webhook'), ...siteErrors, ...bodyErrors },
})

webhookEndpoints.patch(
  '/sites/:siteId/webhooks/:endpointId',
  zValidator('json', EndpointChange, refuseInvalid),
  async (c) => {
    const site = await siteOf(c)
    return c.json(await changeWebhook(c.get('ctx'), site, endpointIdOf(c), c.req.valid('json')))
  },
)

export const removeWebhookEndpointOperation = (): Operation => ({
  route: 'DELETE /sites/:siteId/webhooks/:endpointId',
  operationId: 'removeWebhookEndpoint',
  summary: 'Remove a webhook and its secret',
  description: 'Pending events are not sent. Their deliveries fail with `endpoint_removed`.',
  responses: { 204: noContentResponse, ...siteErrors },
})

webhookEndpoints.delete('/sites/:siteId/webhooks/:endpointId', async (c) => {
  const site = await siteOf(c)
  await deleteWebhook(c.get('ctx'), site, endpointIdOf(c))
  return c.body(null, 204)
})

export const rotateEndpointSecretOperation = (): Operation => ({
  route: 'POST /sites/:siteId/webhooks/:endpointId/secret-rotations',
  operationId: 'rotateEndpointSecret',
  summary: 'Rotate the secret of a webhook',
  description:
    'For 24 hours, `webhook-signature` contains a signature with each secret. A second rotation in that time ends the overlap of the first.',
  responses: {
    201: jsonResponse(withSecret(), 'The webhook with its new secret, shown only once'),
    ...siteErrors,
    ...bodyErrors,
  },
})

webhookEndpoints.post('/sites/:siteId/webhooks/:endpointId/secret-rotations', async (c) => {
  const site = await siteOf(c)
  return c.json(await rotateWebhookSecret(c.get('ctx'), site, { id: endpointIdOf(c) }), 201)
})
