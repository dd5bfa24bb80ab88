import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { type EventKind, eventKinds } from '../../../src/core/enums.ts'
import {
  type ArticleReady,
  handleOnce,
  memoryStore,
  missedPosts,
  type Payloads,
  type SignedRequest,
  type VerifyOptions,
  verify,
  WebhookError,
} from '../../../src/sdk/webhooks.ts'
import type { Payload } from '../../../src/webhooks/event-kinds.ts'
import { generateSecret } from '../../../src/webhooks/secret.ts'
import { type SignatureInput, signatureHeaders } from '../../../src/webhooks/signature.ts'

const HEADERS = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const

const secret = generateSecret()
const BODY = JSON.stringify({ event: 'article.ready', slug: 'a', title: 'Ü "x" \u{1F6B2}', sequence: 1 })
const utf8 = (text: string) => new TextEncoder().encode(text)
const ago = (seconds: number) => new Date(Date.now() - seconds * 1_000)

type Signed = { headers: Record<string, string>; body: string }

/** A POST with the service's headers. */
async function signed({
  body = BODY,
  ...fields
}: Partial<Omit<SignatureInput, 'body'>> & { body?: string } = {}) {
  const input = { id: crypto.randomUUID(), at: new Date(), secret, previousSecret: null, ...fields }
  return { headers: await signatureHeaders({ ...input, body: utf8(body) }), body } satisfies Signed
}

const asRequest = ({ headers, body }: Signed) =>
  new Request('https://cms.example.org/hooks', { method: 'POST', headers, body })

const withHeader = ({ headers, body }: Signed, name: string, value: string): Signed => ({
  headers: { ...headers, [name]: value },
  body,
})

/** The reason for the refusal, or null. */
async function refusal(request: SignedRequest, secrets: string | string[] = secret, options?: VerifyOptions) {
  try {
    await verify(request, secrets, options)
    return null
  } catch (error) {
    if (error instanceof WebhookError) return error.reason
    throw error
  }
}

describe('a genuine POST', () => {
  it('verifies as a Request, and as a raw body with headers in any form', async () => {
    const post = await signed()
    const { headers, body } = post
    const shouted = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]]),
    )
    const pooled = new Uint8Array([1, 2, ...utf8(body), 3]).subarray(2, -1)
    const forms: SignedRequest[] = [
      asRequest(post),
      { headers: new Headers(headers), body },
      { headers, body: utf8(body) },
      { headers: shouted, body: pooled },
    ]
    for (const form of forms) {
      expect(await verify(form, secret)).toEqual({
        id: headers['webhook-id'],
        sentAt: new Date(Number(headers['webhook-timestamp']) * 1_000),
        type: 'article.ready',
        payload: JSON.parse(BODY),
      })
    }
  })

  it('verifies with either secret during a rotation, with the new one first, and with a list of secrets', async () => {
    const previousSecret = generateSecret()
    const post = await signed({ previousSecret })
    for (const known of [secret, previousSecret, [generateSecret(), previousSecret]]) {
      expect(await refusal(asRequest(post), known)).toBeNull()
    }
    expect(await refusal(asRequest(await signed()), [previousSecret, secret])).toBeNull()
    expect(await refusal(asRequest(await signed()), previousSecret)).toBe('no signature matches')
    for (const same of [`${secret}\n`, secret.slice('whsec_'.length)])
      expect(await refusal(asRequest(await signed()), same)).toBeNull()
  })

  it('has its payload typed by its type', async () => {
    const { type, payload } = await verify(asRequest(await signed()), secret)
    if (type !== 'article.ready') throw new Error(type)
    expectTypeOf(payload).toEqualTypeOf<ArticleReady>()
    expectTypeOf<Payloads>().toEqualTypeOf<{ [Kind in EventKind]: Payload<Kind> }>()
    expect(payload.slug).toBe('a')
  })

  it.each(eventKinds)('of the kind %s is known, and one of a later kind is not refused', async (event) => {
    const delivery = await verify(asRequest(await signed({ body: JSON.stringify({ event }) })), secret)
    expect(delivery).toMatchObject({ type: event, payload: { event } })
    const body = JSON.stringify({ event: 'article.gone', slug: 'a' })
    const later = await verify(asRequest(await signed({ body })), secret)
    expect(later).toMatchObject({ type: 'unknown', payload: { event: 'article.gone', slug: 'a' } })
  })
})

describe('a POST is refused', () => {
  it.each(HEADERS)('without %s', async (name) => {
    const { headers, body } = await signed()
    const { [name]: _, ...others } = headers
    await expect(verify({ headers: others, body }, secret)).rejects.toMatchObject({
      name: 'WebhookError',
      reason: 'missing header',
      message: `missing header: ${name}`,
    })
    expect(await refusal(asRequest({ headers: others, body }))).toBe('missing header')
  })

  it.each([['soon'], ['1.5'], ['-5'], ['0x10'], ['1e9'], ['9'.repeat(400)]])(
    'with the timestamp %s',
    async (timestamp) => {
      const post = withHeader(await signed(), 'webhook-timestamp', timestamp)
      expect(await refusal(asRequest(post))).toBe('malformed timestamp')
    },
  )

  it.each([['../up'], ['a.b'], ['a b'], ['ü'], ['a%0a']])('with the id %s, though signed', async (id) => {
    expect(await refusal(await signed({ id }))).toBe('malformed id')
  })

  it('when one of its dots was moved', async () => {
    const post = await signed({ body: '{"event":"x","title":"a.1795305600.b.c"}' })
    const whole = `${post.headers['webhook-id']}.${post.headers['webhook-timestamp']}.${post.body}`
    const dots = [...whole.matchAll(/\./g)].map(({ index }) => index)
    const cuts = dots.flatMap((first, at) => dots.slice(at + 1).map((second) => [first, second] as const))
    const reasons: (string | null)[] = []
    for (const [first, second] of cuts) {
      const id = whole.slice(0, first)
      const timestamp = whole.slice(first + 1, second)
      const moved = { ...post.headers, 'webhook-id': id, 'webhook-timestamp': timestamp }
      reasons.push(
        await refusal({ headers: moved, body: whole.slice(second + 1) }, secret, { toleranceSeconds: 1e9 }),
      )
    }
    expect(reasons[0]).toBeNull()
    expect(new Set(reasons.slice(1))).toEqual(new Set(['malformed id', 'malformed timestamp']))
  })

  it.each([
    [-320, 'timestamp out of tolerance'],
    [-290, null],
    [290, null],
    [320, 'timestamp out of tolerance'],
  ])('or accepted when it was signed %i s ago: %s', async (seconds, reason) => {
    const post = await signed({ at: ago(seconds) })
    expect(await refusal(asRequest(post))).toBe(reason)
    // Unless another tolerance is requested.
    expect(await refusal(asRequest(post), secret, { toleranceSeconds: 400 })).toBeNull()
    for (const toleranceSeconds of [30, Number.NaN])
      expect(await refusal(asRequest(post), secret, { toleranceSeconds })).toBe('timestamp out of tolerance')
  })

  it('with another body, id, timestamp, secret or version of signature', async () => {
    const post = await signed()
    const { headers } = post
    const later = String(Number(headers['webhook-timestamp']) + 1)
    const others: Signed[] = [
      { ...post, body: `${BODY} ` },
      { ...post, body: '' },
      { ...post, body: JSON.stringify(JSON.parse(BODY), null, 1) },
      withHeader(post, 'webhook-id', crypto.randomUUID()),
      withHeader(post, 'webhook-timestamp', later),
      withHeader(post, 'webhook-signature', headers['webhook-signature']!.replace('v1,', 'v1a,')),
      withHeader(post, 'webhook-signature', headers['webhook-signature']!.slice(3)),
      withHeader(post, 'webhook-signature', headers['X-Service-Signature']!),
      withHeader(post, 'webhook-signature', 'v1,'),
      await signed({ secret: generateSecret() }),
    ]
    for (const other of others) expect(await refusal(asRequest(other))).toBe('no signature matches')
  })

  it.each([
    ['', 'not JSON'],
    ['<xml/>', 'not JSON'],
    ['null', 'not an event'],
    ['[]', 'not an event'],
    ['{"event":1}', 'not an event'],
  ])('when the signed text is %j: %s', async (body, reason) => {
    expect(await refusal(asRequest(await signed({ body })))).toBe(reason)
  })

  it('by its headers before its body is read', async () => {
    const { headers } = await signed({ at: ago(3_600) })
    const unread = { headers, arrayBuffer: () => Promise.reject(new Error('was read')) }
    expect(await refusal(unread)).toBe('timestamp out of tolerance')
  })

  it('without revealing the secret or a signature', async () => {
    const post = await signed({ secret: generateSecret() })
    const error = await verify(asRequest(post), secret).catch((thrown: Error) => thrown)
    expect(`${error} ${(error as Error).stack}`).not.toMatch(/whsec_|v1,[A-Za-z0-9+/]/)
  })
})

it('no single changed byte of body, id, timestamp or signature verifies', async () => {
  const base = await signed()
  const parts = ['body', ...HEADERS] as const
  const textOf = (part: (typeof parts)[number]) => (part === 'body' ? base.body : base.headers[part]!)
  const change = fc.constantFrom(...parts).chain((part) => {
    const bytes = utf8(textOf(part))
    const values = part === 'body' ? { min: 0, max: 255 } : { min: 0x21, max: 0x7e }
    return fc
      .record({ part: fc.constant(part), at: fc.nat(bytes.length - 1), value: fc.integer(values) })
      .filter(({ at, value }) => bytes[at] !== value)
  })
  await fc.assert(
    fc.asyncProperty(change, async ({ part, at, value }) => {
      const bytes = utf8(textOf(part))
      bytes[at] = value
      const changed = part === 'body' ? {} : { [part]: new TextDecoder().decode(bytes) }
      const body = part === 'body' ? bytes : utf8(base.body)
      expect(await refusal({ headers: { ...base.headers, ...changed }, body })).not.toBeNull()
    }),
    { numRuns: 1_000 },
  )
  expect(await refusal(base)).toBeNull()
})

it('no other spelling of the same signature in base64 verifies', async () => {
  const post = await signed()
  const signature = post.headers['webhook-signature']!
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
  const twins = [...alphabet]
    .map((each) => `${signature.slice(0, -2)}${each}=`)
    .filter((each) => each !== signature)
  const decode = (text: string) => atob(text.slice(3))
  expect(twins.filter((twin) => decode(twin) === decode(signature)).length).toBe(3)
  for (const twin of [...twins, signature.slice(0, -1), `${signature}=`, signature.replaceAll('+', '-')]) {
    if (twin === signature) continue
    expect(await refusal(withHeader(post, 'webhook-signature', twin))).toBe('no signature matches')
  }
})

describe('a mistake in the receiver is a TypeError, and verifies nothing', () => {
  it.each([
    ['no secret', undefined],
    ['an empty one', ''],
    ['only a prefix', 'whsec_'],
    ['an empty list', []],
    ['a list with an empty one', ['', generateSecret()]],
    ['one that is not base64', 'whsec_*'],
  ])('%s', async (_, wrong) => {
    await expect(verify(asRequest(await signed()), wrong as string)).rejects.toThrow(TypeError)
  })

  it('a body that was parsed', async () => {
    const { headers, body } = await signed()
    const parsed = { headers, body: JSON.parse(body) }
    await expect(verify(parsed, secret)).rejects.toThrow('before any parsing')
  })
})

describe('with the library of Standard Webhooks', () => {
  it('signatures of the library verify here, with any id and body', async () => {
    const id = fc.string({ unit: fc.constantFrom(...'abcXYZ019_-'), minLength: 1 })
    await fc.assert(
      fc.asyncProperty(id, fc.object(), async (id, fields) => {
        const body = JSON.stringify({ ...fields, event: 'x' })
        const at = new Date()
        const headers = {
          'webhook-id': id,
          'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
          'webhook-signature': new Webhook(secret).sign(id, at, body),
        }
        const delivery = await verify({ headers, body }, secret)
        expect(delivery).toMatchObject({ id, type: 'unknown' })
        expect(JSON.stringify(delivery.payload)).toBe(JSON.stringify(JSON.parse(body)))
      }),
    )
  })
})

describe('an event', () => {
  it('is handled once, also when it arrives twice at once, and again after its handling failed', async () => {
    const store = memoryStore()
    let handled = 0
    const handle = async () => {
      await new Promise((resolve) => setTimeout(resolve, 5))
      handled += 1
    }
    const both = await Promise.all([handleOnce('a', store, handle), handleOnce('a', store, handle)])
    expect(both).toEqual([true, false])
    expect(await handleOnce('a', store, handle)).toBe(false)
    const failing = () => Promise.reject(new Error('the CMS is down'))
    await expect(handleOnce('b', store, failing)).rejects.toThrow('the CMS is down')
    expect(await handleOnce('b', store, handle)).toBe(true)
    expect(handled).toBe(2)
  })

  it('is remembered among the newest ids, up to the limit', () => {
    const store = memoryStore(3)
    for (const id of ['a', 'b', 'c', 'a', 'd']) store.claim(id)
    expect(['b', 'c', 'd'].map((id) => store.claim(id))).toEqual([false, false, false])
    expect(store.claim('a')).toBe(true)
  })
})

describe('missed posts', () => {
  const post = { type: 'upsert', resource: 'post' } as const

  it('are the changed posts that are newer than their last handled event', async () => {
    const changes = [
      { ...post, id: 'handled', sequence: 10 },
      { ...post, id: 'never heard of', sequence: 20 },
      { ...post, id: 'changed since', sequence: 35 },
      { ...post, id: 'read before its event', sequence: 40 },
      { type: 'upsert', resource: 'guide', id: 'a guide', sequence: 50 },
      { type: 'delete', resource: 'post', id: 'deleted', sequence: 60 },
    ] as const
    const handled = new Map<string, number>([
      ['handled', 10],
      ['changed since', 30],
      ['read before its event', 41],
    ])
    const missed = await missedPosts(changes, async (id) => handled.get(id))
    expect(missed.map(({ id }) => id)).toEqual(['never heard of', 'changed since'])
    expect(await missedPosts([], () => null)).toEqual([])
  })
})
