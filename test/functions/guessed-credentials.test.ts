import { describe, expect, it } from 'vitest'
import { generateToken } from '../../src/crypto/token.ts'
import { callsOf } from '../support/calls.ts'
import { stopClock } from '../support/clock.ts'
import { post, rpc } from '../support/mcp.ts'
import { call, makeSite, type TestSite } from '../support/site.ts'
import { callsOf as queriesOf } from '../support/sql.ts'

/** An isolate checks that many a minute one by one. */
const BUDGET = 20
const QUERIES_A_SECOND = 4
/** One address for all, like the visitors of a front end. */
const headers = { 'CF-Connecting-IP': '203.0.113.7' }

/** The maximum number of batches. */
const queriesSince = (start: number) => ((performance.now() - start) / 1_000) * QUERIES_A_SECOND

const makeLink = (site: TestSite) => site.manage('POST', '/posts/draft/preview-links', {})
const makeKey = (site: TestSite) => site.manage('POST', '/keys', { name: 'new' })

const DOORS = {
  'API keys at /api/v1': {
    prefix: 'hca_live_',
    refused: 401,
    make: makeSecretKey,
    ask: (site: TestSite, key: string) => site.get('/posts/draft', { key, headers }),
  },
  'API keys at /mcp': {
    prefix: 'hca_live_',
    refused: 401,
    make: makeSecretKey,
    ask: (_: TestSite, key: string) => post({ key, headers, body: rpc('ping') }),
  },
  'links at /api/v1': {
    prefix: 'hca_preview_',
    refused: 401,
    make: makeSecretLink,
    ask: (site: TestSite, key: string) => site.get('/posts/draft', { key, headers }),
  },
  'links at /drafts': {
    prefix: 'hca_preview_',
    refused: 404,
    make: makeSecretLink,
    ask: (_: TestSite, token: string) => call(`/drafts/${token}`, { headers }),
  },
}

async function makeSecretKey(site: TestSite) {
  const { id, key } = await makeKey(site)
  return { secret: key, revocation: `/keys/${id}/revocation` }
}

async function makeSecretLink(site: TestSite) {
  const { id, token } = await makeLink(site)
  return { secret: token, revocation: `/posts/draft/preview-links/${id}/revocation` }
}

describe.each(Object.entries(DOORS))('guesses of %s', (_, { prefix, refused, make, ask }) => {
  const siteWithDraft = async () => {
    const site = await makeSite()
    await site.put('draft')
    return site
  }
  const guess = async (site: TestSite) => (await ask(site, generateToken(prefix))).status
  const guessAtOnce = (site: TestSite, count: number) =>
    Promise.all(Array.from({ length: count }, () => guess(site)))

  it('are answered like any wrong one, and cost few queries and calls to Redis, at once or one after another', async () => {
    stopClock()
    const site = await siteWithDraft()
    const statuses: number[] = []
    const start = performance.now()
    const queries = await queriesOf(async () => void statuses.push(...(await guessAtOnce(site, 100))))
    expect(new Set(statuses)).toEqual(new Set([refused]))
    expect(queries).toBeLessThanOrEqual(BUDGET + queriesSince(start))
    const { redis } = await callsOf(async () => {
      await guessAtOnce(site, 50)
      return new Response()
    })
    expect(redis).toBe(0)
    const slowStart = performance.now()
    const slowQueries = await queriesOf(async () => {
      for (let guesses = 0; guesses < 8; guesses++) expect(await guess(site)).toBe(refused)
    })
    expect(slowQueries).toBeLessThanOrEqual(queriesSince(slowStart))
  })

  it('never lock out a valid one, be it old, new or sent among them, and never let in a revoked one', async () => {
    stopClock()
    const site = await siteWithDraft()
    const old = await make(site)
    expect((await ask(site, old.secret)).status).toBe(200)
    await guessAtOnce(site, 2 * BUDGET)
    const [made, other] = [await make(site), await make(site)]
    const [guessed, ...answers] = await Promise.all([
      guessAtOnce(site, 50),
      ...[old, made, other, made].map(({ secret }) => ask(site, secret)),
    ])
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect(new Set(guessed)).toEqual(new Set([refused]))
    for (const { revocation } of [old, made]) await site.manage('PUT', revocation)
    for (const { secret } of [old, made]) expect((await ask(site, secret)).status).toBe(refused)
    expect((await ask(site, other.secret)).status).toBe(200)
  })
})
