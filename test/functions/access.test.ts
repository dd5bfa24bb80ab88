import { describe, expect, inject, it } from 'vitest'
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
const isInSite = ({ path }: Operation) => path.includes('{siteId}')

const ask = (operation: Operation, siteId: string, headers: Record<string, string>, query = '') =>
  call(ROOT + pathOf(operation, siteId) + query, { method: operation.method, headers })

const bearing = (key: string) => ({ Authorization: `Bearer ${key}` })

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

async function siteWithEverything() {
  const site = await makeSite({ trainingOptIn: true })
  await site.put('a', { status: 'published' })
  await putGuide(site, 'a')
  await setWebhook(site, 'ok')
  return site
}

async function revokedKey(site: TestSite): Promise<string> {
  const { id, key } = await makeKey(site)
  await site.manage('PUT', `/keys/${id}/revocation`)
  return key
}

const expiredKey = async (site: TestSite) =>
  (await makeKey(site, { expiresAt: new Date(Date.now() - 1).toISOString() })).key

/** The key with a wrong checksum. */
function mistyped(key: string) {
  return key.slice(0, -1) + (key.endsWith('0') ? '1' : '0')
}

/** Well formed, but never issued. */
const UNKNOWN_KEY = 'hca_live_abcdefghijklmnopqrstuvwxyzABCDEF2lKoNv'

describe.each(OPERATIONS)('401 from $operationId', (operation) => {
  it('without a key, or with a malformed one', async () => {
    const site = await makeSite()
    const headers: Record<string, string | null> = {
      'no header': null,
      empty: '',
      'the scheme alone': 'Bearer',
      'no scheme': site.key,
      Basic: `Basic ${btoa(`x:${site.key}`)}`,
      'another scheme': `Token ${site.key}`,
      'two keys': `Bearer ${site.key} ${site.key}`,
      'a list': `Bearer ${site.key}, Bearer ${site.key}`,
      garbage: 'Bearer null',
      'wrong checksum': `Bearer ${mistyped(site.key)}`,
      'other case': `Bearer ${site.key.toUpperCase()}`,
      'too short': `Bearer ${site.key.slice(0, -1)}`,
      'too long': `Bearer ${site.key}0`,
      unknown: `Bearer ${UNKNOWN_KEY}`,
      'the operator’s token': `Bearer ${operatorToken}`,
      'the id of the key': `Bearer ${site.keyId}`,
    }
    for (const [what, header] of Object.entries(headers)) {
      const sent: Record<string, string> = header === null ? {} : { Authorization: header }
      await expectRefused(await ask(operation, site.id, sent, brokenQuery(operation)), what)
    }
  })

  it('with a key revoked a moment ago, even for a client that has the answer', async () => {
    const site = await siteWithEverything()
    const key = bearing(site.key)
    const tag = (await ask(operation, site.id, key)).headers.get('ETag') ?? '*'
    expect((await ask(operation, site.id, { ...key, 'If-None-Match': tag })).status).toBeLessThan(400)
    await site.manage('PUT', `/keys/${site.keyId}/revocation`)
    await expectRefused(await ask(operation, site.id, key), 'revoked')
    for (const known of [tag, '*']) {
      await expectRefused(await ask(operation, site.id, { ...key, 'If-None-Match': known }), known)
    }
  })

  it('to an unknown, a revoked and an expired key at the same cost: a look into Redis and one query, with the same results', async () => {
    const site = await siteWithEverything()
    const used = await makeKey(site)
    expect((await site.get('/posts', { key: used.key })).status).toBe(200)
    await site.manage('PUT', `/keys/${used.id}/revocation`)
    const keys = [UNKNOWN_KEY, await revokedKey(site), await expiredKey(site), used.key]
    const costs = []
    for (const key of keys) {
      const path = ROOT + pathOf(operation, site.id)
      const look = () =>
        exchangesOf(async () => expectRefused(await callIn({}, path, { key, method: operation.method }), key))
      // A sweep of another test may store the site's versions meanwhile, with a token of its own, which costs one more
      // lookup.
      let exchanges = await look()
      if (exchanges.length !== 2) exchanges = await look()
      costs.push(JSON.stringify(exchanges).replaceAll(/\b[0-9a-f-]{36}(?=\/|\\)|\b[0-9a-f]{64}\b/g, 'RANDOM'))
      expect(exchanges).toHaveLength(2)
      expect(JSON.parse(exchanges[1]!.sent).query).toMatch(/^select /)
    }
    expect(costs).toEqual(Array(keys.length).fill(costs[0]))
  })
})

describe.each(OPERATIONS.filter((each) => !takesToken(each)))('401 from $operationId', (operation) => {
  it('with a sitemap-only key, or a key in the query', async () => {
    const site = await makeSite()
    const { key } = await makeKey(site, { access: 'sitemap' })
    await expectRefused(await ask(operation, site.id, bearing(key)), 'sitemap key')
    await expectRefused(await ask(operation, site.id, {}, `?token=${site.key}`), 'token')
  })
})

describe.each(OPERATIONS.filter(isInSite))('401 from $operationId', (operation) => {
  it('for another site, for an unknown one, and for a malformed one', async () => {
    const site = await makeSite()
    const other = await makeSite()
    const odd = [
      'x',
      '1',
      '%00',
      '%FF',
      '%',
      'null',
      site.id.slice(1),
      `${site.id}0`,
      `{${site.id}}`,
      `%20${site.id}`,
    ]
    for (const siteId of [other.id, crypto.randomUUID(), ...odd]) {
      await expectRefused(await ask(operation, siteId, bearing(site.key), brokenQuery(operation)), siteId)
    }
  })
})

describe('sitemap token', () => {
  const refused = async (site: TestSite, token: string) =>
    expectRefused(await site.get(`/sitemap.xml?token=${token}`, { key: null }), token)

  it('is refused when malformed, unknown, another site’s, revoked or expired', async () => {
    const site = await makeSite()
    const other = await makeSite()
    const leaked = await makeKey(site, { access: 'sitemap' })
    expect((await site.get(`/sitemap.xml?token=${leaked.key}`, { key: null })).status).toBe(200)
    await site.manage('PUT', `/keys/${leaked.id}/revocation`)
    const malformed = ['', 'x', '%00', mistyped(site.key)]
    for (const token of [...malformed, UNKNOWN_KEY, other.key, await expiredKey(site), leaked.key]) {
      await refused(site, token)
    }
  })

  it('does not replace a wrong key in the header', async () => {
    const site = await makeSite()
    await expectRefused(
      await site.get(`/sitemap.xml?token=${site.key}`, { key: UNKNOWN_KEY }),
      'header first',
    )
  })
})

describe('a malformed key', () => {
  it('is refused without a query to the database or Redis', async () => {
    const site = await makeSite()
    const malformed = [
      mistyped(site.key),
      site.key.slice(0, -1),
      `hca_test_${site.key.slice(9)}`,
      operatorToken,
    ]
    const asked = await exchangesOf(async () => {
      for (const operation of OPERATIONS) {
        for (const key of malformed) await ask(operation, site.id, bearing(key))
        await ask(operation, site.id, {})
      }
      await site.get(`/sitemap.xml?token=${mistyped(site.key)}`, { key: null })
    })
    expect(asked).toEqual([])
    const live = await exchangesOf(() => site.get('/posts'))
    expect(live.map(({ url }) => new URL(url).origin)).toEqual(
      expect.arrayContaining(Object.values(inject('gateways'))),
    )
  })
})

describe('a key', () => {
  it('is accepted with the scheme and the site id in any case', async () => {
    const site = await makeSite()
    for (const scheme of ['Bearer', 'bearer', 'BEARER', 'Bearer  ']) {
      const headers = { Authorization: `${scheme} ${site.key}` }
      const response = await call(`${ROOT}/sites/${site.id.toUpperCase()}/posts`, { headers })
      expect(response.status, scheme).toBe(200)
    }
  })

  it('is valid until the moment it expires', async () => {
    const site = await makeSite()
    const { key } = await makeKey(site, { expiresAt: new Date(Date.now() + 2_500).toISOString() })
    expect((await site.get('/posts', { key })).status).toBe(200)
    await new Promise((resolve) => setTimeout(resolve, 2_600))
    await expectRefused(await site.get('/posts', { key }), 'expired')
    expect((await site.get('/posts')).status).toBe(200)
  })
})
