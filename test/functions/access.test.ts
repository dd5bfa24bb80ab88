import { beforeAll, describe, expect, inject, it } from 'vitest'
import { makeKey, putGuide } from '../support/content.ts'
import { exchangesOf } from '../support/exchanges.ts'
import {
  brokenQuery,
  type Operation,
  operationsOf,
  pathOf,
  readDocument,
  takesToken,
  wholeOf,
} from '../support/openapi.ts'
import { call, makeSite, operatorToken, type TestSite } from '../support/site.ts'
import { setWebhook } from '../support/webhook.ts'
import { callIn } from '../support/world.ts'

const ROOT = '/api/v1'
const OPERATIONS = operationsOf(await readDocument(ROOT))

/** Well formed, but never issued. */
const UNKNOWN_KEY = 'hca_live_abcdefghijklmnopqrstuvwxyzABCDEF2lKoNv'

const ask = (operation: Operation, siteId: string, headers: Record<string, string>, query = '') =>
  call(ROOT + pathOf(operation, siteId) + query, { method: operation.method, headers })

const bearing = (key: string) => ({ Authorization: `Bearer ${key}` })

/** The key with a wrong checksum. */
const mistyped = (key: string) => key.slice(0, -1) + (key.endsWith('0') ? '1' : '0')

async function expectRefused(response: Response, what: string) {
  expect(await wholeOf(response), what).toEqual({
    status: 401,
    headers: {
      'access-control-allow-origin': '*',
      'access-control-expose-headers': expect.any(String),
      'cache-control': 'no-store',
      'content-type': 'application/json',
      vary: 'Authorization, Accept-Encoding',
      'www-authenticate': 'Bearer',
      'x-content-type-options': 'nosniff',
    },
    body: '{"error":"Missing or invalid API key"}',
  })
}

async function revokedKey(site: TestSite): Promise<string> {
  const { id, key } = await makeKey(site)
  await site.manage('PUT', `/keys/${id}/revocation`)
  return key
}

const expiredKey = async (site: TestSite) =>
  (await makeKey(site, { expiresAt: new Date(Date.now() - 1).toISOString() })).key

let site: TestSite
let other: TestSite
let sitemapKey: string

beforeAll(async () => {
  ;[site, other] = [await makeSite({ trainingOptIn: true }), await makeSite()]
  sitemapKey = (await makeKey(site, { access: 'sitemap' })).key
  await site.put('a', { status: 'published' })
  await putGuide(site, 'a')
  await setWebhook(site, 'ok')
})

describe.each(OPERATIONS)('401 from $operationId', (operation) => {
  it('without a key, with one of no use there, and for any other site, before the query is checked', async () => {
    const inSite = operation.path.includes('{siteId}') ? [other.id, crypto.randomUUID(), 'x', '%00', '%'] : []
    for (const siteId of inSite)
      await expectRefused(await ask(operation, siteId, bearing(site.key), brokenQuery(operation)), siteId)
    const useless = [
      UNKNOWN_KEY,
      mistyped(site.key),
      operatorToken,
      ...(takesToken(operation) ? [] : [sitemapKey]),
    ]
    for (const key of useless)
      await expectRefused(await ask(operation, site.id, bearing(key), brokenQuery(operation)), key)
    await expectRefused(await ask(operation, site.id, {}, brokenQuery(operation)), 'none')
    if (!takesToken(operation))
      await expectRefused(await ask(operation, site.id, {}, `?token=${site.key}`), 'in the query')
  })

  it('with a key revoked a moment ago, even for a client that has the answer', async () => {
    const { id, key } = await makeKey(site)
    const tag = (await ask(operation, site.id, bearing(key))).headers.get('ETag') ?? '*'
    const known = { ...bearing(key), 'If-None-Match': tag }
    expect((await ask(operation, site.id, known)).status).toBeLessThan(400)
    await site.manage('PUT', `/keys/${id}/revocation`)
    for (const headers of [bearing(key), known, { ...bearing(key), 'If-None-Match': '*' }])
      await expectRefused(await ask(operation, site.id, headers), JSON.stringify(headers))
  })
})

describe('a key', () => {
  it('is refused in any other form, without a call to Postgres or Redis', async () => {
    const { id, key, keyId } = site
    const headers = [
      ...['', 'Bearer', key, `Basic ${btoa(`x:${key}`)}`, `Token ${key}`, 'Bearer null'],
      ...[`Bearer ${key} ${key}`, `Bearer ${key}, Bearer ${key}`, `Bearer ${keyId}`, `Bearer ${key}0`],
      ...[mistyped(key), key.slice(0, -1), key.toUpperCase(), `hca_test_${key.slice(9)}`, operatorToken].map(
        (each) => `Bearer ${each}`,
      ),
    ]
    const asked = await exchangesOf(async () => {
      for (const Authorization of headers)
        await expectRefused(
          await call(`${ROOT}/sites/${id}/posts`, { headers: { Authorization } }),
          Authorization,
        )
      for (const token of ['', 'x', '%00', mistyped(key)])
        await expectRefused(await site.get(`/sitemap.xml?token=${token}`, { key: null }), token)
    })
    expect(asked).toEqual([])
    const live = await exchangesOf(() => callIn({}, `${ROOT}${site.path}/posts?page=2`, { key }))
    expect(live.map(({ url }) => new URL(url).origin)).toEqual(
      expect.arrayContaining(Object.values(inject('gateways'))),
    )
  })

  it('that is unknown, revoked or expired costs the same: a look into Redis and one query, with the same results', async () => {
    const used = await makeKey(site)
    expect((await site.get('/posts', { key: used.key })).status).toBe(200)
    await site.manage('PUT', `/keys/${used.id}/revocation`)
    const costs = []
    for (const key of [UNKNOWN_KEY, await revokedKey(site), await expiredKey(site), used.key]) {
      const look = () =>
        exchangesOf(async () => expectRefused(await callIn({}, `${ROOT}${site.path}/posts`, { key }), key))
      // A sweep of another test may store the site's versions meanwhile, which costs one more lookup.
      let exchanges = await look()
      if (exchanges.length !== 2) exchanges = await look()
      costs.push(JSON.stringify(exchanges).replaceAll(/\b[0-9a-f-]{36}(?=\/|\\)|\b[0-9a-f]{64}\b/g, 'RANDOM'))
      expect(exchanges).toHaveLength(2)
      expect(JSON.parse(exchanges[1]!.sent).query).toMatch(/^select /)
    }
    expect(costs).toEqual(Array(costs.length).fill(costs[0]))
  })

  it('is accepted with the scheme and the site id in any case', async () => {
    for (const scheme of ['Bearer', 'bearer', 'BEARER', 'Bearer  ']) {
      const headers = { Authorization: `${scheme} ${site.key}` }
      const response = await call(`${ROOT}/sites/${site.id.toUpperCase()}/posts`, { headers })
      expect(response.status, scheme).toBe(200)
    }
  })

  it('in the query opens the sitemap until it is revoked, and does not replace a wrong key in the header', async () => {
    const leaked = await makeKey(site, { access: 'sitemap' })
    const asked = (token: string, key: string | null = null) =>
      site.get(`/sitemap.xml?token=${token}`, { key })
    expect((await asked(leaked.key)).status).toBe(200)
    await site.manage('PUT', `/keys/${leaked.id}/revocation`)
    for (const token of [UNKNOWN_KEY, other.key, await expiredKey(site), leaked.key])
      await expectRefused(await asked(token), token)
    await expectRefused(await asked(site.key, UNKNOWN_KEY), 'header first')
  })
})
