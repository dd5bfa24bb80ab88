/** `/sites/{siteId}/keys`. */
import { createKey, Key, KeyInput, listKeys, revokeKey } from '../../src/keys.ts'
import { createApp, named, pathParameter } from '../http/openapi.ts'
import { json } from '../http/responses.ts'
import { body, createRoute, idOf, page, refusals, siteOf, sitePath, tooLarge, written, z } from './route.ts'

export const keys = createApp()

const KeyAnswer = named('Key', Key)

const createKeyRoute = createRoute({
  method: 'post',
  path: '/sites/{siteId}/keys',
  operationId: 'createKey',
  summary: 'Create an API key',
  request: { params: sitePath, body: body(KeyInput) },
  responses: {
    201: json(Key.extend({ key: z.string() }).openapi('NewKey'), 'The key, shown this once'),
    ...refusals,
    ...tooLarge,
  },
})

keys.openapi(createKeyRoute, async (c) =>
  c.json(await createKey(c.get('ctx'), await siteOf(c), c.req.valid('json')), 201),
)

const listKeysRoute = createRoute({
  method: 'get',
  path: '/sites/{siteId}/keys',
  operationId: 'listKeys',
  summary: "List a site's keys, newest first",
  request: { params: sitePath },
  responses: { 200: page(KeyAnswer, 'All keys; `next` is always null'), ...refusals },
})

keys.openapi(listKeysRoute, async (c) =>
  c.json({ items: await listKeys(c.get('ctx'), await siteOf(c)), next: null }, 200),
)

const revokeKeyRoute = createRoute({
  method: 'put',
  path: '/sites/{siteId}/keys/{keyId}/revocation',
  operationId: 'revokeKey',
  summary: 'Revoke a key for ever',
  request: { params: sitePath.extend({ keyId: pathParameter('The key', 'uuid') }) },
  responses: {
    200: written(KeyAnswer, 'The key with the time it was first revoked'),
    ...refusals,
    ...tooLarge,
  },
})

keys.openapi(revokeKeyRoute, async (c) => {
  const site = await siteOf(c)
  return c.json(await revokeKey(c.get('ctx'), site, idOf(c, 'keyId', 'key_missing')), 200)
})
