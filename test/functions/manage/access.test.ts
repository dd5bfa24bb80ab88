import { beforeAll, describe, expect, inject, it } from 'vitest'
import { makeKey } from '../../support/content.ts'
import { exchangesOf } from '../../support/exchanges.ts'
import {
  brokenQuery,
  type Operation,
  operationsOf,
  pathOf,
  readDocument,
  wholeOf,
} from '../../support/openapi.ts'
import { call, makeSite, operatorToken, type TestSite } from '../../support/site.ts'

const ROOT = '/manage/v1'
const OPERATIONS = operationsOf(await readDocument(ROOT))
const BODY = '{"broken'

let site: TestSite
let sitemapKey: string

beforeAll(async () => {
  site = await makeSite()
  sitemapKey = (await makeKey(site, { access: 'sitemap' })).key
})

/** Sends an invalid query and body, which are only checked after authentication. */
function ask(operation: Operation, Authorization: string | null, query = '') {
  const { method } = operation
  return call(ROOT + pathOf(operation, site.id) + brokenQuery(operation) + query, {
    method,
    headers: Authorization === null ? {} : { Authorization },
    ...(['POST', 'PUT', 'PATCH'].includes(method) && { body: BODY }),
  })
}

async function expectRefused(response: Response, what: string) {
  expect(await wholeOf(response), what).toEqual({
    status: 401,
    headers: {
      'cache-control': 'no-store',
      'content-type': 'application/json',
      vary: 'Authorization, Accept-Encoding',
      'www-authenticate': 'Bearer',
      'x-content-type-options': 'nosniff',
    },
    body: '{"error":"Missing or invalid operator token"}',
  })
}

describe('401', () => {
  it.each(OPERATIONS)(
    'from $operationId for everyone but the operator, before anything else is checked',
    async (operation) => {
      for (const header of [null, `Bearer ${site.key}`, `Bearer ${operatorToken}0`])
        await expectRefused(await ask(operation, header), String(header))
      expect((await ask(operation, `bearer ${operatorToken}`)).status).not.toBe(401)
    },
  )

  it('for any other form of the token, without a call to Postgres', async () => {
    const token = operatorToken
    const headers = [
      ...['', 'Bearer', token, `Basic ${btoa(`x:${token}`)}`, `Token ${token}`, 'Bearer null'],
      ...[`${token} ${token}`, `${token}, Bearer ${token}`, `"${token}"`, token.toUpperCase()].map(
        (each) => `Bearer ${each}`,
      ),
      ...[token.slice(0, -1), token.slice(1), sitemapKey, site.keyId].map((each) => `Bearer ${each}`),
    ]
    const exchanges = await exchangesOf(async () => {
      for (const header of headers) await expectRefused(await ask(OPERATIONS[0]!, header), header)
      for (const name of ['token', 'access_token'])
        await expectRefused(await ask(OPERATIONS[0]!, null, `&${name}=${token}`), name)
    })
    // Wrong tokens are only counted in Redis.
    expect(exchanges.filter(({ url }) => !url.startsWith(inject('gateways').redis))).toEqual([])
  })

  it('for an unknown path: a route without a guard is guarded', async () => {
    for (const path of ['/unknown', '/sites-of-all', '/openapi.json/x'])
      await expectRefused(await call(ROOT + path), path)
    expect((await call(`${ROOT}/unknown`, { key: operatorToken })).status).toBe(404)
  })
})
