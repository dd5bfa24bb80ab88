import { afterEach, describe, expect, it, vi } from 'vitest'
import { queryCredential } from '../../src/access/credentials.ts'
import { generateKey, keyCredential } from '../../src/access/keys.ts'
import { createCaches } from '../../src/caches.ts'
import { sha256Hex } from '../../src/core/ids.ts'
import { makeKey } from '../support/content.ts'
import { testContext } from '../support/context.ts'
import { makeSite, type TestSite } from '../support/site.ts'
import { runSql, statementsOf } from '../support/sql.ts'

const ROUTES = [
  '/posts',
  '/posts/a',
  '/guides/a',
  '/sitemap.xml',
  '/redirects',
  '/changes',
  '/training/export',
]

/** The number of queries while the key is used and refused repeatedly. */
async function queriesFor(site: TestSite, key: string) {
  const statements = await statementsOf(async () => {
    for (const below of [...ROUTES, ...ROUTES]) {
      const response = await site.get(below, { key })
      expect(response.status, below).toBe(401)
      expect(await response.text()).toBe('{"error":"Missing or invalid API key"}')
    }
  })
  return statements.length
}

afterEach(() => void vi.useRealTimers())

describe('a refused key', () => {
  it('costs one query, however often it is used, and is 401 each time', async () => {
    const site = await makeSite()
    expect(await queriesFor(site, generateKey())).toBe(1)
    const expired = await makeKey(site, { expiresAt: new Date(Date.now() - 1).toISOString() })
    expect(await queriesFor(site, expired.key)).toBe(1)
    const revoked = await makeKey(site)
    expect((await site.get('/posts', { key: revoked.key })).status).toBe(200)
    await site.manage('PUT', `/keys/${revoked.id}/revocation`)
    expect(await queriesFor(site, revoked.key)).toBe(1)
  })

  it('does not affect new and valid keys', async () => {
    const site = await makeSite()
    for (let times = 0; times < 30; times++) await site.get('/posts', { key: generateKey() })
    const { key } = await makeKey(site)
    expect((await site.get('/posts', { key })).status).toBe(200)
    expect((await site.get('/posts')).status).toBe(200)
  })

  it('is looked up again after 10 s, in case it was inserted by SQL', async () => {
    const site = await makeSite()
    const key = generateKey()
    expect((await site.get('/posts', { key })).status).toBe(401)
    await runSql(
      `insert into api_keys (site_id, name, key_hash, prefix, last_four) values ($1, 'by hand', $2, 'hca_live_', $3)`,
      [site.id, await sha256Hex(key), key.slice(-4)],
    )
    vi.useFakeTimers({ toFake: ['Date'] })
    vi.setSystemTime(Date.now() + 10_001)
    expect((await site.get('/posts', { key })).status).toBe(200)
  })

  it('evicts nothing else from the cache, however many there are', async () => {
    const site = await makeSite()
    const ctx = testContext({ caches: createCaches({ auths: 32_768 }) })
    const lookUp = async (key: string) =>
      queryCredential(ctx, (await keyCredential(key, null))!, { share: false })
    expect(await lookUp(site.key)).not.toBeNull()
    for (let times = 0; times < 100; times++) await lookUp(generateKey())
    expect(ctx.caches.auths.get(await sha256Hex(site.key))).toBeDefined()
  })
})

describe('a key for another site or resource', () => {
  it('costs no query while it is cached', async () => {
    const site = await makeSite()
    const other = await makeSite()
    const { key } = await makeKey(site, { access: 'sitemap' })
    expect((await site.get('/sitemap.xml', { key })).status).toBe(200)
    const refused = async () => {
      expect((await site.get('/posts', { key })).status).toBe(401)
      expect((await other.get('/sitemap.xml', { key })).status).toBe(401)
    }
    expect(await statementsOf(refused)).toEqual([])
    expect((await site.get('/sitemap.xml', { key })).status).toBe(200)
  })
})
