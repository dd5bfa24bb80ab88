import { describe, expect, inject, it } from 'vitest'
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

const hasBody = ({ method }: Operation) => ['POST', 'PUT', 'PATCH'].includes(method)

/** Sends an invalid query and body, which are only checked after authentication. */
function ask(operation: Operation, site: TestSite, headers: Record<string, string>, query = '') {
  const path = ROOT + pathOf(operation, site.id) + brokenQuery(operation) + query
  return call(path, { method: operation.method, headers, ...(hasBody(operation) && { body: BODY }) })
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
  it('for an unknown path: a route without a guard is guarded', async () => {
    for (const path of ['/unknown', '/sites-of-all', '/openapi.json/x'])
      await expectRefused(await call(ROOT + path), path)
    const headers = { Authorization: `Bearer ${operatorToken}` }
    expect((await call(`${ROOT}/unknown`, { headers })).status).toBe(404)
  })
})

describe.each(OPERATIONS)('401 from $operationId', (operation) => {
  it('for everyone but the operator, before anything else is checked', async () => {
    const site = await makeSite()
    const { key: sitemapKey } = await makeKey(site, { access: 'sitemap' })
    const headers: Record<string, string | null> = {
      'no header': null,
      empty: '',
      'the scheme alone': 'Bearer',
      'no scheme': operatorToken,
      Basic: `Basic ${btoa(`x:${operatorToken}`)}`,
      'another scheme': `Token ${operatorToken}`,
      'two tokens': `Bearer ${operatorToken} ${operatorToken}`,
      'a list': `Bearer ${operatorToken}, Bearer ${operatorToken}`,
      garbage: 'Bearer null',
      'cut at the end': `Bearer ${operatorToken.slice(0, -1)}`,
      'cut at the start': `Bearer ${operatorToken.slice(1)}`,
      'too long': `Bearer ${operatorToken}0`,
      'other case': `Bearer ${operatorToken.toUpperCase()}`,
      'in quotes': `Bearer "${operatorToken}"`,
      'an API key': `Bearer ${site.key}`,
      'a sitemap key': `Bearer ${sitemapKey}`,
      'the id of a key': `Bearer ${site.keyId}`,
    }
    const exchanges = await exchangesOf(async () => {
      for (const [what, header] of Object.entries(headers)) {
        await expectRefused(
          await ask(operation, site, header === null ? {} : { Authorization: header }),
          what,
        )
      }
      for (const name of ['token', 'access_token']) {
        await expectRefused(await ask(operation, site, {}, `&${name}=${operatorToken}`), name)
      }
    })
    // Wrong tokens are only counted in Redis.
    expect(exchanges.filter(({ url }) => !url.startsWith(inject('gateways').redis))).toEqual([])

    const response = await ask(operation, site, { Authorization: `bearer ${operatorToken}` })
    expect(response.status).not.toBe(401)
  })
})
