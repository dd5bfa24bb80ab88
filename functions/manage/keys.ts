/** `/sites/{siteId}/keys`. */
import { create, Key, KeyInput, list, revoke } from '../../src/keys.ts'
import { json } from '../http/answers.ts'
import { createApp, named, pathParameter } from '../http/openapi.ts'
import { body, createRoute, idOf, page, refusals, siteOf, sitePath, tooLarge, written, z } from './route.ts'

export const keys = createApp()

const KeyAnswer = named('Key', Key)

const createKey = createRoute({
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

keys.openapi(createKey, async (c) =>
  c.json(await create(c.get('ctx'), await siteOf(c), c.req.valid('json')), 201),
)

const listKeys = createRoute({
  method: 'get',
  path: '/sites/{siteId}/keys',
  operationId: 'listKeys',
  summary: "List a site's keys, newest first",
  request: { params: sitePath },
  responses: { 200: page(KeyAnswer, 'All keys; `next` is always null'), ...refusals },
})

keys.openapi(listKeys, async (c) =>
  c.json({ items: await list(c.get('ctx'), await siteOf(c)), next: null }, 200),
)

const revokeKey = createRoute({
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

keys.openapi(revokeKey, async (c) => {
  const site = await siteOf(c)
  return c.json(await revoke(c.get('ctx'), site, idOf(c, 'keyId', 'key_missing')), 200)
})
