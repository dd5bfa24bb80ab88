import { describe, expect, vi } from 'vitest'
import { queryCredential } from '../../src/access/credentials.ts'
import { generateKey, keyCredential } from '../../src/access/keys.ts'
import { createCaches } from '../../src/caches.ts'
import { sha256Hex } from '../../src/core/ids.ts'
import { makeKey } from '../support/content.ts'
import { testContext } from '../support/context.ts'
import { it, makeSite } from '../support/site.ts'
import { runSql, statementsOf } from '../support/sql.ts'

describe('a refused key', () => {
  it('costs one query in 10 s, however often it is used, and is 401 each time', async ({ site }) => {
    const ask = async (key: string) => (await site.get('/posts', { key })).status
    const revoked = await makeKey(site)
    expect(await ask(revoked.key)).toBe(200)
    await site.manage('PUT', `/keys/${revoked.id}/revocation`)
    const unknown = generateKey()
    const expired = await makeKey(site, { expiresAt: new Date(Date.now() - 1).toISOString() })
    for (const key of [unknown, expired.key, revoked.key]) {
      const statements = await statementsOf(async () => {
        for (const below of ['/posts', '/posts/a', '/sitemap.xml', '/training/export', '/posts'])
          expect((await site.get(below, { key })).status, below).toBe(401)
      })
      expect(statements).toHaveLength(1)
    }
    await runSql(
      `insert into api_keys (site_id, name, key_hash, prefix, last_four) values ($1, 'by hand', $2, 'hca_live_', $3)`,
      [site.id, await sha256Hex(unknown), unknown.slice(-4)],
    )
    vi.useFakeTimers({ toFake: ['Date'] })
    vi.setSystemTime(Date.now() + 10_001)
    expect(await ask(unknown)).toBe(200)
  })

  it('evicts nothing else from the cache, however many there are', async ({ site }) => {
    const ctx = testContext({ caches: createCaches({ auths: 32_768 }) })
    const lookUp = async (key: string) =>
      queryCredential(ctx, (await keyCredential(key, null))!, { share: false })
    expect(await lookUp(site.key)).not.toBeNull()
    for (let times = 0; times < 100; times++) await lookUp(generateKey())
    expect(ctx.caches.auths.get(await sha256Hex(site.key))).toBeDefined()
  })
})

describe('a key for another site or resource', () => {
  it('costs no query while it is cached', async ({ site }) => {
    const other = await makeSite()
    const { key } = await makeKey(site, { access: 'sitemap' })
    expect((await site.get('/sitemap.xml', { key })).status).toBe(200)
    const refused = async () => {
      expect((await site.get('/posts', { key })).status).toBe(401)
      expect((await other.get('/sitemap.xml', { key })).status).toBe(401)
    }
    expect(await statementsOf(refused)).toEqual([])
  })
})
