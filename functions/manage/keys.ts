/** `/sites/{siteId}/keys`. */
import { zValidator } from '@hono/zod-validator'
import * as z from 'zod/mini'
import { createKey, Key, KeyInput, listKeys, revokeKey } from '../../src/access/keys.ts'
import type { Operation } from '../http/document.ts'
import { createApp } from '../http/env.ts'
import { idOf } from '../http/request.ts'
import { jsonResponse } from '../http/responses.ts'
import { refuseInvalid } from '../http/validation.ts'
import { bodyErrors, pageResponse, siteErrors, writtenResponse } from './responses.ts'
import { siteOf } from './route.ts'

export const keys = createApp()

export const createKeyOperation = (): Operation => ({
  route: 'POST /sites/:siteId/keys',
  operationId: 'createKey',
  summary: 'Create an API key',
  description:
    '`access` is what the key can read: everything (`full`), published content (`published`) or only the sitemap (`sitemap`). Only a hash of the key is stored. If you lose the key, create another.',
  body: KeyInput,
  responses: {
    201: jsonResponse(
      z.extend(Key, { key: z.string() }).register(z.globalRegistry, { id: 'NewKey' }),
      'The key, shown only once',
    ),
    ...siteErrors,
    ...bodyErrors,
  },
})

keys.post('/sites/:siteId/keys', zValidator('json', KeyInput, refuseInvalid), async (c) =>
  c.json(await createKey(c.get('ctx'), await siteOf(c), c.req.valid('json')), 201),
)

export const listKeysOperation = (): Operation => ({
  route: 'GET /sites/:siteId/keys',
  operationId: 'listKeys',
  summary: "List a site's keys, newest first",
  description: 'Includes revoked and expired keys. `lastUsedAt` can be up to an hour old.',
  responses: { 200: pageResponse(Key, 'All keys; `next` is always null'), ...siteErrors },
})

keys.get('/sites/:siteId/keys', async (c) =>
  c.json({ items: await listKeys(c.get('ctx'), await siteOf(c)), next: null }),
)

export const revokeKeyOperation = (): Operation => ({
  route: 'PUT /sites/:siteId/keys/:keyId/revocation',
  operationId: 'revokeKey',
  summary: 'Revoke a key permanently',
  description: 'The key is refused from the next request on. Revoking it again keeps the first `revokedAt`.',
  responses: {
    200: writtenResponse(Key, 'The revoked key'),
    ...siteErrors,
    ...bodyErrors,
  },
})

keys.put('/sites/:siteId/keys/:keyId/revocation', async (c) => {
  const site = await siteOf(c)
  return c.json(await revokeKey(c.get('ctx'), site, idOf(c, 'keyId', 'key_not_found')))
})
