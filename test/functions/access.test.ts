import { describe, expect, it } from 'vitest'
import { makeKey, rateOf } from '../support/content.ts'
import { call, errorOf, makeSite, operatorToken, type TestSite } from '../support/site.ts'
import { statementsOf } from '../support/sql.ts'

type Route = { name: string; method?: string; path: (siteId: string) => string; sitemap?: true }

const inSite = (below: string) => (siteId: string) => `/sites/${siteId}${below}`
const ROUTES: Route[] = [
  { name: 'list', path: inSite('/posts?page=0') },
  { name: 'post', path: inSite('/posts/a?include=a&include=b') },
  { name: 'guide', path: inSite('/guides/a') },
  { name: 'sitemap', path: inSite('/sitemap.xml?page=0'), sitemap: true },
  { name: 'changes', path: inSite('/changes?cursor=x') },
  { name: 'export', path: inSite('/training/export?after=x') },
  { name: 'webhook test', method: 'POST', path: () => '/webhooks/test' },
]
const SITE_ROUTES = ROUTES.filter((route) => route.method !== 'POST')

const ask = (route: Route, siteId: string, headers: Record<string, string> = {}) =>
  call(`/api/v1${route.path(siteId)}`, { method: route.method ?? 'GET', headers })

async function expectRefused(response: Response, what: string) {
  expect(response.headers.get('WWW-Authenticate'), what).toBe('Bearer')
  expect(response.headers.get('Cache-Control'), what).toBe('no-store')
  expect(response.headers.get('ETag'), what).toBeNull()
  expect(rateOf(response).limit, what).toBeNull()
  expect(await errorOf(response, 401), what).toBe('Missing or invalid API key')
}

/** The key with its checksum made wrong. */
function mistyped(key: string) {
  return key.slice(0, -1) + (key.endsWith('0') ? '1' : '0')
}

/** Well formed, and known to nobody. */
const UNKNOWN_KEY = 'hca_live_abcdefghijklmnopqrstuvwxyzABCDEF2lKoNv'

describe.each(ROUTES)('401 from $name', (route) => {
  it('without a key, or with one that is none', async () => {
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
      await expectRefused(await ask(route, site.id, header === null ? {} : { Authorization: header }), what)
    }
  })

  it('with an expired key', async () => {
    const site = await makeSite()
    const { key } = await makeKey(site, { expiresAt: new Date(Date.now() - 1).toISOString() })
    await expectRefused(await ask(route, site.id, { Authorization: `Bearer ${key}` }), 'expired')
  })

  it('with a key revoked a moment ago, also of one who has the answer', async () => {
    const site = await makeSite()
    const headers = { Authorization: `Bearer ${site.key}`, 'If-None-Match': '*' }
    expect((await ask(route, site.id, headers)).status).not.toBe(401)
    const response = await site.get('/posts')
    await site.manage('PUT', `/keys/${site.keyId}/revocation`)
    await expectRefused(await ask(route, site.id, headers), '*')
    const tag = response.headers.get('ETag')!
    await expectRefused(await ask(route, site.id, { ...headers, 'If-None-Match': tag }), tag)
  })
})

describe.each(ROUTES.filter((route) => !route.sitemap))('401 from $name', (route) => {
  it('with a key that is for the sitemap alone, or one in the query', async () => {
    const site = await makeSite()
    const { key } = await makeKey(site, { access: 'sitemap' })
    await expectRefused(await ask(route, site.id, { Authorization: `Bearer ${key}` }), 'sitemap key')
    const path = route.path(site.id)
    const query = `${path}${path.includes('?') ? '&' : '?'}token=${site.key}`
    await expectRefused(await ask({ ...route, path: () => query }, site.id), 'token')
  })
})

describe.each(SITE_ROUTES)('401 from $name', (route) => {
  it('in another site, an unknown one, or none', async () => {
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
      await expectRefused(await ask(route, siteId, { Authorization: `Bearer ${site.key}` }), siteId)
    }
  })
})

describe('sitemap token', () => {
  const refused = async (site: TestSite, token: string) =>
    expectRefused(await site.get(`/sitemap.xml?token=${token}`, { key: null }), token)

  it('is refused when malformed, unknown, another site’s, revoked or expired', async () => {
    const site = await makeSite()
    const other = await makeSite()
    const expired = await makeKey(site, { expiresAt: '2020-01-01T00:00:00Z' })
    const leaked = await makeKey(site, { access: 'sitemap' })
    expect((await site.get(`/sitemap.xml?token=${leaked.key}`, { key: null })).status).toBe(200)
    await site.manage('PUT', `/keys/${leaked.id}/revocation`)
    for (const token of [
      '',
      'x',
      '%00',
      mistyped(site.key),
      UNKNOWN_KEY,
      other.key,
      expired.key,
      leaked.key,
    ]) {
      await refused(site, token)
    }
  })

  it('does not stand in for a wrong key in the header', async () => {
    const site = await makeSite()
    await expectRefused(
      await site.get(`/sitemap.xml?token=${site.key}`, { key: UNKNOWN_KEY }),
      'header first',
    )
  })
})

describe('a malformed key', () => {
  it('is refused without asking the database', async () => {
    const site = await makeSite()
    const malformed = [
      mistyped(site.key),
      site.key.slice(0, -1),
      `hca_test_${site.key.slice(9)}`,
      operatorToken,
    ]
    const asked = await statementsOf(async () => {
      for (const route of ROUTES) {
        for (const key of malformed) await ask(route, site.id, { Authorization: `Bearer ${key}` })
        await ask(route, site.id)
      }
      await site.get(`/sitemap.xml?token=${mistyped(site.key)}`, { key: null })
    })
    expect(asked).toEqual([])
    expect(await statementsOf(() => site.get('/guides/a', { key: UNKNOWN_KEY }))).toHaveLength(1)
  })
})

describe('a key', () => {
  it('is taken in any case of the scheme, and of the site id', async () => {
    const site = await makeSite()
    for (const scheme of ['Bearer', 'bearer', 'BEARER', 'Bearer  ']) {
      const headers = { Authorization: `${scheme} ${site.key}` }
      expect((await ask({ name: '', path: inSite('/posts') }, site.id.toUpperCase(), headers)).status).toBe(
        200,
      )
    }
  })

  it('lives until the moment it expires', async () => {
    const site = await makeSite()
    const { key } = await makeKey(site, { expiresAt: new Date(Date.now() + 2_500).toISOString() })
    expect((await site.get('/posts', { key })).status).toBe(200)
    await new Promise((resolve) => setTimeout(resolve, 2_600))
    await expectRefused(await site.get('/posts', { key }), 'expired')
    expect((await site.get('/posts')).status).toBe(200)
  })

  it('opens nothing of the management API, nor does no key', async () => {
    const site = await makeSite()
    for (const key of [site.key, null, 'x', operatorToken.slice(1), `${operatorToken}0`]) {
      for (const path of ['/sites', `/sites/${site.id}`, `/sites/${site.id}/keys`]) {
        const response = await call(`/manage/v1${path}`, { key })
        expect(response.headers.get('WWW-Authenticate')).toBe('Bearer')
        expect(response.headers.get('Cache-Control')).toBe('no-store')
        expect(await errorOf(response, 401)).toBe('Missing or invalid operator token')
      }
    }
  })
})
