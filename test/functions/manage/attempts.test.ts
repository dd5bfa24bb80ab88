import { describe, expect, inject } from 'vitest'
import { generateToken } from '../../../src/crypto/token.ts'
import { trySignIn } from '../../support/console.ts'
import { exchangesOf } from '../../support/exchanges.ts'
import { call, it, manage, operatorToken } from '../../support/site.ts'
import { callsOf as queriesOf } from '../../support/sql.ts'
import { isolate } from '../../support/world.ts'

const ADDRESS = 'CF-Connecting-IP'
const ATTEMPTS = 5

const randomAddress = () => `10.${crypto.getRandomValues(new Uint8Array(3)).join('.')}`
const randomGroups = (count: number) =>
  [...crypto.getRandomValues(new Uint16Array(count))].map((group) => (group | 0x1000).toString(16)).join(':')

const attempt = (address: string, key = 'wrong') =>
  call('/manage/v1/sites?limit=1', { key, headers: { [ADDRESS]: address } })

async function exhaust(address: string) {
  for (let attempts = 1; attempts <= ATTEMPTS; attempts++) {
    const response = await attempt(address)
    expect(response.status).toBe(401)
    await response.body?.cancel()
  }
}

describe('429', () => {
  it.each([
    ['by Redis', () => ({})],
    ['by the isolate, where Redis refuses', () => ({ UPSTASH_REDIS_REST_URL: 'http://127.0.0.1:1' })],
    [
      'by the isolate, where Redis hangs',
      () => ({ UPSTASH_REDIS_REST_URL: `${inject('receiver')}/redis/hang` }),
    ],
  ])('answers the sixth wrong token within a minute: %s', async (_, world) => {
    const headers = { [ADDRESS]: randomAddress() }
    const { ask } = isolate(world())
    const attempt = (key: string) => ask('/manage/v1/sites?limit=1', key, { headers })
    for (let attempts = 1; attempts <= ATTEMPTS; attempts++) expect((await attempt('wrong')).status).toBe(401)
    const refused = await attempt('wrong')
    expect(refused.status).toBe(429)
    expect(await refused.json()).toEqual({ error: 'Too many failed attempts' })
    const seconds = Number(refused.headers.get('Retry-After'))
    expect(seconds).toBeGreaterThan(40)
    expect(seconds).toBeLessThanOrEqual(60)
  })

  it('answers all but five of many simultaneous wrong tokens', async () => {
    const address = randomAddress()
    const answers = await Promise.all(Array.from({ length: 12 }, () => attempt(address)))
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(ATTEMPTS)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(12 - ATTEMPTS)
  })

  it('is never the answer to the right token, whatever else its address tries', async () => {
    const address = randomAddress()
    await exhaust(address)
    expect((await attempt(address)).status).toBe(429)
    for (let asked = 1; asked <= 2 * ATTEMPTS; asked++) {
      expect((await attempt(address, operatorToken)).status).toBe(200)
    }
  })

  it('of the console is separate: one does not lock the other', async () => {
    const address = randomAddress()
    await exhaust(address)
    expect((await attempt(address)).status).toBe(429)
    expect((await trySignIn(operatorToken, { address })).status).toBe(303)
    expect((await trySignIn('wrong', { address })).status).toBe(400)
    const other = randomAddress()
    for (let attempts = 1; attempts <= ATTEMPTS; attempts++) await trySignIn('wrong', { address: other })
    expect((await trySignIn('wrong', { address: other })).status).toBe(429)
    expect((await attempt(other)).status).toBe(401)
    expect((await attempt(other, operatorToken)).status).toBe(200)
  })

  it('counts an IPv6 /64 as one address, and all spellings of an IPv4 address as one', async () => {
    const network = `2001:db8:${randomGroups(2)}`
    for (const host of ['::1', ':0:0:0:1', ':1:2:3:4', ':FFFF:1:2:3', '::9']) {
      expect((await attempt(network + host)).status).toBe(401)
    }
    expect((await attempt(`${network.toUpperCase()}::abcd`)).status).toBe(429)
    expect((await attempt(`2001:db8:${randomGroups(2)}::1`)).status).toBe(401)
    const address = randomAddress()
    await exhaust(address)
    expect((await attempt(`::ffff:${address}`)).status).toBe(429)
  })

  it('does not count requests without a token', async () => {
    const address = randomAddress()
    for (const key of Array(2 * ATTEMPTS).fill('')) expect((await attempt(address, key)).status).toBe(401)
    expect((await attempt(address)).status).toBe(401)
  })

  it('is never sent by /api/v1', async ({ site }) => {
    const address = randomAddress()
    await exhaust(address)
    const read = (key: string) => site.get('/posts', { key, headers: { [ADDRESS]: address } })
    for (let asked = 1; asked <= 2 * ATTEMPTS; asked++) expect((await read('wrong')).status).toBe(401)
    expect((await read(site.key)).status).toBe(200)
  })
})

describe('well-formed guesses', () => {
  const guess = () => generateToken('hca_operator_')
  const statusesOf = (answers: Response[]) => answers.map(({ status }) => status)

  it('that arrive one after another cost no query after the fifth', async () => {
    const address = randomAddress()
    const statuses: number[] = []
    const queries = await queriesOf(async () => {
      for (let guesses = 0; guesses < 10; guesses++) statuses.push((await attempt(address, guess())).status)
    })
    expect(statuses).toEqual([...Array(ATTEMPTS).fill(401), ...Array(10 - ATTEMPTS).fill(429)])
    // Together they cost one query for the live tokens and one audit log entry.
    expect(queries).toBeLessThanOrEqual(ATTEMPTS + 2)
  })

  it('that arrive at once cost no query each', async () => {
    const address = randomAddress()
    const answers: Response[] = []
    const queries = await queriesOf(async () => {
      answers.push(...(await Promise.all(Array.from({ length: 20 }, () => attempt(address, guess())))))
    })
    expect(statusesOf(answers).filter((status) => status === 429)).toHaveLength(20 - ATTEMPTS)
    expect(queries).toBeLessThanOrEqual(ATTEMPTS + 3)
  })

  it('do not lock out an operator’s token at the same address, or let a revoked one in', async () => {
    const address = randomAddress()
    const { id } = await manage('POST', '/operators', {
      name: `guessed ${crypto.randomUUID()}`,
      role: 'viewer',
    })
    const created = await manage('POST', `/operators/${id}/tokens`, {})
    // Many at once, like a script that just got its token.
    const first = Array.from({ length: 3 * ATTEMPTS }, () => attempt(address, created.token))
    expect(new Set(statusesOf(await Promise.all(first)))).toEqual(new Set([200]))
    for (let guesses = 0; guesses <= ATTEMPTS; guesses++) await attempt(address, guess())
    expect((await attempt(address, guess())).status).toBe(429)
    const later = Array.from({ length: 3 * ATTEMPTS }, () => attempt(address, created.token))
    expect(new Set(statusesOf(await Promise.all(later)))).toEqual(new Set([200]))
    await manage('PUT', `/operators/${id}/tokens/${created.id}/revocation`)
    expect((await attempt(address, created.token)).status).toBe(429)
    expect((await attempt(randomAddress(), created.token)).status).toBe(401)
  })
})

describe('a call to Redis', () => {
  it('is made neither for the right token nor for an address known to be over the limit', async () => {
    const address = randomAddress()
    const right = await exchangesOf(() => attempt(address, operatorToken))
    expect(right.filter(({ url }) => url.startsWith(inject('gateways').redis))).toEqual([])
    await exhaust(address)
    expect((await attempt(address)).status).toBe(429)
    expect(
      await exchangesOf(async () => {
        expect((await attempt(address)).status).toBe(429)
      }),
    ).toEqual([])
  })
})
