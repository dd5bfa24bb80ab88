import { describe, expect, it } from 'vitest'
import { generateKey } from '../../src/access/keys.ts'
import { generateToken } from '../../src/crypto/token.ts'
import { generateSecret } from '../../src/webhooks/secret.ts'
import { leaksIn } from '../support/guard.ts'
import { Known, learn, secretsIn } from '../support/secrets.ts'

const hex = (text: string) =>
  Array.from(text, (each) => each.charCodeAt(0).toString(16).padStart(2, '0')).join('')

const SECRETS: [string, string][] = [
  ['API key', generateKey()],
  ['webhook secret', generateSecret()],
  ['operator token', `hca_operator_${hex('sixteen bytes, or')}`],
  ['preview token', generateToken('hca_preview_')],
]

/** Encodings of a secret that show its kind. */
const SPELLINGS: [string, (secret: string) => string][] = [
  ['plain', (secret) => secret],
  ['in JSON', (secret) => JSON.stringify({ message: `is ${secret}.` })],
  ['cut', (secret) => `${secret.slice(0, 24)}…`],
  ['in a URL', (secret) => `https://acme.com/?token=${encodeURIComponent(secret)}&a=b`],
  ['in hex', hex],
  ['in HEX', (secret) => `\\x${hex(`to: ${secret}`).toUpperCase()}`],
  ...['', 'a', 'ab'].map((before): [string, (secret: string) => string] => [
    `in base64 after ${before.length}`,
    (secret) => `Basic ${btoa(`${before}${secret}:`)}`,
  ]),
]

describe.each(SECRETS)('%s', (name, secret) => {
  it.each(SPELLINGS)('is found %s', (_, spell) => {
    expect(secretsIn(spell(secret))).toEqual([name])
  })

  it.each(SPELLINGS)('is found %s without its prefix, once its value is registered', (_, spell) => {
    const rest = secret.replace(/^(hca_live_|whsec_|hca_operator_|hca_preview_)/, '')
    const known = new Known()
    learn(known, name, secret)
    expect(secretsIn(spell(rest))).toEqual([])
    expect(secretsIn(spell(rest), known)).toEqual([name])
  })
})

describe('the bytes of a webhook secret', () => {
  it('are found in hex and in base64', () => {
    const secret = generateSecret()
    const bytes = atob(secret.slice(6))
    const known = new Known()
    learn(known, 'webhook secret', secret)
    const urlSafe = btoa(bytes).replaceAll('+', '-').replaceAll('/', '_').replace('=', '')
    for (const text of [hex(bytes), hex(bytes).toUpperCase(), btoa(`a${bytes}`), urlSafe]) {
      expect(secretsIn(text, known)).toEqual(['webhook secret'])
    }
  })
})

describe('harmless text', () => {
  it.each([
    ['a prefix with the last four characters', '"prefix":"hca_live_","lastFour":"a1B2"'],
    ['a redacted line', 'hca_live_[redacted] whsec_[redacted] ?token=[redacted]'],
    ['an encrypted secret', 'test.3q2+7w3q2+7w3q2+.bW9yZSB0aGFuIGZvcnR5IGJ5dGVzIG9mIGNpcGhlcnRleHQ='],
    ['a digest', '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
  ])('is not taken for a secret: %s', (_, text) => {
    const known = new Known()
    for (const [name, secret] of SECRETS) learn(known, name, secret)
    expect(secretsIn(text, known)).toEqual([])
  })
})

describe('an answer', () => {
  const key = generateKey()
  const secret = generateSecret()
  const leaks = (asked: string, body: object, init: ResponseInit = {}) =>
    leaksIn(asked, Response.json(body, { status: 201, ...init }))

  it.each([
    ['POST /manage/v1/sites/a/keys', { name: 'n', key }],
    ['PUT /manage/v1/sites/a/webhook', { url: 'u', secret }],
    ['POST /manage/v1/sites/a/webhook/secret-rotations', { url: 'u', secret }],
  ])('to %s may show one secret', async (asked, body) => {
    expect(await leaks(asked, body)).toEqual([])
  })

  it('may show it only in its place', async () => {
    const asked = 'POST /manage/v1/sites/a/keys'
    const leak = [`API key in the answer to ${asked}`]
    expect(await leaks(asked, { name: key, key })).toEqual(leak)
    expect(await leaks(asked, { name: btoa(key.slice(9)), key })).toEqual(leak)
    expect(await leaks(asked, { key }, { headers: { Location: `/keys/${key}` } })).toEqual(leak)
    expect(await leaks(asked, { key }, { status: 200 })).toEqual(leak)
  })

  it.each(['GET /manage/v1/sites/a/keys', 'GET /api/v1/sites/a/posts'])(
    'to %s may show no secret',
    async (asked) => {
      expect(await leaks(asked, { key })).toEqual([`API key in the answer to ${asked}`])
      expect(await leaks(asked, { secret }, { status: 200 })).toEqual([
        `webhook secret in the answer to ${asked}`,
      ])
    },
  )
})
