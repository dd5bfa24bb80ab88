import { describe, expect, it } from 'vitest'
import { generateSecret } from '../../../src/webhooks/secret.ts'
import { signatureHeaders } from '../../../src/webhooks/signature.ts'
import { firstDifference } from '../../../src/webhooks/signature-check/body.ts'
import {
  type DiagnosisInput,
  diagnoseSignature,
  type SentDelivery,
} from '../../../src/webhooks/signature-check/diagnose.ts'
import type { ReceivedRequest } from '../../../src/webhooks/signature-check/signing.ts'

const secret = generateSecret()
const previousSecret = generateSecret()
const at = new Date('2026-11-21T12:00:00Z')
const id = '6f1c1d5e-0000-4000-8000-000000000001'
const FIRST = '6f1c1d5e-0000-4000-8000-00000000000a'
const SECOND = '6f1c1d5e-0000-4000-8000-00000000000b'
const BODY = '{"event" : "article.ready", "title" : "Ü & \\"x\\"", "trustScore" : 0.80}'
const DECODED = Uint8Array.from(atob(secret.slice(6)), (c) => c.charCodeAt(0))
const utf8 = (text: string) => new TextEncoder().encode(text)

/** A delivery as it was sent, by default with the current secret. */
async function sent(
  fields: { body?: string; secret?: string; at?: Date; webhookId?: string; id?: string } = {},
): Promise<SentDelivery> {
  const { body = BODY, webhookId = FIRST, ...signed } = fields
  const headers = await signatureHeaders({
    id,
    at,
    secret,
    previousSecret: null,
    ...signed,
    body: utf8(body),
  })
  return {
    deliveryId: crypto.randomUUID(),
    eventId: fields.id ?? id,
    webhookId,
    body,
    timestamp: headers['X-Service-Timestamp']!,
    serviceSignature: headers['X-Service-Signature']!,
    standardSignature: headers['webhook-signature']!,
  }
}

const claim = (from: SentDelivery, fields: Partial<ReceivedRequest> = {}): ReceivedRequest => ({
  timestamp: from.timestamp,
  body: from.body,
  signature: from.serviceSignature,
  id: '',
  ...fields,
})

const check = (
  claimed: ReceivedRequest,
  evidence: Partial<DiagnosisInput> & { previousSecret?: string } = {},
) =>
  diagnoseSignature(claimed, {
    webhooks: [{ id: FIRST, secrets: { secret, previousSecret: evidence.previousSecret ?? null } }],
    deliveries: [],
    now: at,
    ...evidence,
  })

/** HMAC-SHA256 in hex, as a receiver might compute it. */
async function signWith(key: string | Uint8Array<ArrayBuffer>, message: string): Promise<string> {
  const bytes = typeof key === 'string' ? utf8(key) : key
  const imported = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, [
    'sign',
  ])
  const mac = await crypto.subtle.sign('HMAC', imported, utf8(message))
  return [...new Uint8Array(mac)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

const RIGHT = { timestamp: 'right', body: 'right', signature: 'right' }

describe('a genuine request', () => {
  it('is right in all parts, with either signature, in white space or in capitals', async () => {
    const delivery = await sent()
    expect(await check(claim(delivery))).toMatchObject({ ...RIGHT, age: { seconds: 0, fresh: true } })
    const { serviceSignature, standardSignature, timestamp } = delivery
    expect(await check(claim(delivery, { signature: standardSignature, id }))).toMatchObject(RIGHT)
    const loose = { signature: ` ${serviceSignature.toUpperCase()} `, timestamp: ` ${timestamp}\n` }
    expect(await check(claim(delivery, loose))).toMatchObject(RIGHT)
  })
})

describe('the timestamp', () => {
  it.each(['now', '', '1.5', '-3', '2026-11-21T12:00:00Z'])('%j is not a number', async (timestamp) => {
    const claimed = claim(await sent(), { timestamp })
    expect(await check(claimed)).toMatchObject({ timestamp: 'not_a_number', age: null })
  })

  it('and the id have no dot, which would be moved between id, timestamp and body', async () => {
    const delivery = await sent()
    const standard = { id: `${id}.1`, signature: delivery.standardSignature }
    expect(await check(claim(delivery, standard))).toMatchObject({ signature: 'malformed_id' })
  })

  it('is recognized in milliseconds', async () => {
    const delivery = await sent()
    const claimed = claim(delivery, { timestamp: `${delivery.timestamp}123` })
    expect(await check(claimed)).toMatchObject({ ...RIGHT, timestamp: 'milliseconds' })
  })

  it.each([
    [299, true],
    [300, false],
    [-299, true],
    [-301, false],
  ])('%i s old is fresh: %s', async (seconds, fresh) => {
    const now = new Date(at.getTime() + seconds * 1_000)
    expect(await check(claim(await sent()), { now })).toMatchObject({ ...RIGHT, age: { seconds, fresh } })
  })
})

describe('the body', () => {
  it.each([
    ['with a trailing line break', `${BODY}\n`, 'trimmed'],
    ['with surrounding white space', ` ${BODY} `, 'trimmed'],
    ['parsed and written again', JSON.stringify({ ...JSON.parse(BODY), trustScore: 0.8 }), 'unknown'],
  ])('%s is recognized from the signature alone', async (_, body, finding) => {
    const expected = finding === 'unknown' ? { body: 'unknown' } : { ...RIGHT, body: finding }
    expect(await check(claim(await sent(), { body }))).toMatchObject(expected)
  })

  it.each([
    ['compact', JSON.stringify({ a: 1, b: { c: 'ü' } })],
    ['indented', JSON.stringify({ a: 1, b: { c: 'ü' } }, null, 2)],
    ['as Postgres writes it', '{"a" : 1, "b" : {"c" : "ü"}}'],
  ])('that was sent %s and reserialized is recognized from the signature alone', async (_, original) => {
    const delivery = await sent({ body: original })
    const body = '{ "a": 1,   "b": {"c": "\\u00fc"} }'
    expect(await check(claim(delivery, { body }))).toMatchObject({ ...RIGHT, body: 'reserialised' })
  })

  it('with other line endings is recognized', async () => {
    const delivery = await sent({ body: '{\r\n"a": 1\r\n}' })
    const claimed = claim(delivery, { body: '{\n"a": 1\n}' })
    expect(await check(claimed)).toMatchObject({ ...RIGHT, body: 'line_ends' })
  })

  it('with its keys in another order is recognized by comparison with the delivery', async () => {
    const delivery = await sent()
    const body = JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(BODY)).reverse()))
    const found = await check(claim(delivery, { body }), { deliveries: [delivery] })
    expect(found).toMatchObject({ ...RIGHT, body: 'reserialised', sent: delivery })
  })

  it('that was altered is recognized by comparison with the delivery', async () => {
    const delivery = await sent()
    const body = BODY.replace('0.80', '0.99')
    expect(await check(claim(delivery, { body }), { deliveries: [delivery] })).toMatchObject({
      ...RIGHT,
      body: 'differs',
    })
  })
})

describe('the signature', () => {
  it.each([
    ['sha256=00', 'prefixed'],
    ['zz'.repeat(32), 'not_hex'],
    ['ab'.repeat(31), 'length'],
    [btoa('x'.repeat(32)), 'base64'],
  ])('%s is %s', async (signature, finding) => {
    expect(await check(claim(await sent(), { signature }))).toMatchObject({ signature: finding })
  })

  it.each(['serviceSignature', 'standardSignature'] as const)(
    'of the previous secret is recognized, %s',
    async (form) => {
      const delivery = await sent({ secret: previousSecret })
      const found = await check(claim(delivery, { signature: delivery[form], id }), { previousSecret })
      expect(found).toMatchObject({ ...RIGHT, signature: 'previous_secret' })
    },
  )

  it('of an older secret is recognized by comparison with the delivery', async () => {
    const delivery = await sent({ secret: generateSecret() })
    const found = await check(claim(delivery), { deliveries: [delivery] })
    expect(found).toMatchObject({ ...RIGHT, signature: 'old_secret' })
  })

  it.each([
    ['secret_without_prefix', secret.slice(6), (t: string) => `${t}.${BODY}`],
    ['secret_decoded', DECODED, (t: string) => `${t}.${BODY}`],
    ['standard_as_hex', DECODED, (t: string) => `${id}.${t}.${BODY}`],
    ['body_alone', secret, () => BODY],
    ['body_first', secret, (t: string) => `${BODY}.${t}`],
    ['body_first', secret, (t: string) => BODY + t],
    ['without_dot', secret, (t: string) => t + BODY],
  ])('made with a mistake is recognized: %s', async (finding, key, message) => {
    const delivery = await sent()
    const signature = await signWith(key, message(delivery.timestamp))
    const found = await check(claim(delivery, { signature, id }), { deliveries: [delivery] })
    expect(found).toMatchObject({ ...RIGHT, signature: finding })
  })

  it('made with a mistake is recognized for a parsed body and the previous secret too', async () => {
    const delivery = await sent({ body: '{"a" : 1}' })
    const signature = await signWith(previousSecret.slice(6), `${delivery.timestamp}.${delivery.body}`)
    const found = await check(claim(delivery, { signature, body: '{"a":1}' }), { previousSecret })
    expect(found).toMatchObject({ ...RIGHT, body: 'reserialised', signature: 'secret_without_prefix' })
  })

  it.each([
    ['as text', secret],
    ['as text without whsec_', secret.slice(6)],
  ])('of Standard Webhooks made with the secret %s is recognized', async (_, key) => {
    const delivery = await sent()
    const mac = await signWith(key, `${id}.${delivery.timestamp}.${BODY}`)
    const bytes = mac.match(/../g)!.map((pair) => Number.parseInt(pair, 16))
    const signature = `v1,${btoa(String.fromCharCode(...bytes))}`
    const found = await check(claim(delivery, { signature, id }))
    expect(found).toMatchObject({ ...RIGHT, signature: 'secret_not_decoded' })
  })

  it('of Standard Webhooks with another id is recognized by comparison with the delivery', async () => {
    const delivery = await sent()
    const claimed = claim(delivery, { signature: delivery.standardSignature, id: crypto.randomUUID() })
    const found = await check(claimed, { deliveries: [delivery] })
    expect(found).toMatchObject({ ...RIGHT, signature: 'other_id' })
  })

  it('of another delivery is reported as different', async () => {
    const delivery = await sent()
    const signature = await signWith('whsec_other', `${delivery.timestamp}.${BODY}`)
    const found = await check(claim(delivery, { signature }), { deliveries: [delivery] })
    expect(found).toMatchObject({ ...RIGHT, signature: 'differs', sent: delivery })
  })
})

describe('the delivery that a request is compared with', () => {
  const other = '6f1c1d5e-0000-4000-8000-000000000002'
  const nothing = { signature: '0'.repeat(64), timestamp: '1', body: '{}' }

  it('is the one with its webhook-id, before one with its body or timestamp', async () => {
    const [delivery, like] = [await sent({ body: 'A' }), { ...(await sent()), eventId: other }]
    const claimed = claim(like, {
      ...nothing,
      body: like.body,
      timestamp: like.timestamp,
      id: id.toUpperCase(),
    })
    expect((await check(claimed, { deliveries: [like, delivery] })).sent).toBe(delivery)
  })

  it('is the attempt with its timestamp, if the event was sent several times', async () => {
    const [again, first] = [await sent({ at: new Date(at.getTime() + 60_000) }), await sent()]
    const claimed = claim(first, { ...nothing, timestamp: first.timestamp, id })
    expect((await check(claimed, { deliveries: [again, first] })).sent).toBe(first)
  })
})

describe('a site with two webhooks', () => {
  const otherSecret = generateSecret()
  const otherPrevious = generateSecret()
  const otherId = '6f1c1d5e-0000-4000-8000-000000000002'
  const webhooks = [
    { id: FIRST, secrets: { secret, previousSecret } },
    { id: SECOND, secrets: { secret: otherSecret, previousSecret: otherPrevious } },
  ]
  const both = async () => [await sent(), await sent({ secret: otherSecret, webhookId: SECOND, id: otherId })]

  it.each(['serviceSignature', 'standardSignature'] as const)(
    'refuses a delivery that is signed with the secret of the other, %s',
    async (form) => {
      const delivery = await sent()
      const wrong = await sent({ secret: otherSecret })
      const found = await check(claim(delivery, { signature: wrong[form], id }), {
        webhooks,
        deliveries: [delivery],
      })
      expect(found).toMatchObject({ ...RIGHT, signature: 'other_webhook', signedBy: SECOND, sentTo: FIRST })
      const early = await sent({ secret: otherPrevious })
      const previous = await check(claim(delivery, { signature: early[form], id }), {
        webhooks,
        deliveries: [delivery],
      })
      expect(previous).toMatchObject({ signature: 'other_webhook_previous', signedBy: SECOND, sentTo: FIRST })
    },
  )

  it('distinguishes deliveries of the same second and body by the id, else by the signature', async () => {
    const [first, second] = await both()
    const evidence = { webhooks, deliveries: [second!, first!] }
    const mixed = claim(first!, { signature: second!.serviceSignature })
    expect(await check({ ...mixed, id }, evidence)).toMatchObject({
      ...{ signature: 'other_webhook', signedBy: SECOND, sentTo: FIRST, sent: first },
    })
    expect(await check(mixed, evidence)).toMatchObject({
      ...RIGHT,
      signedBy: SECOND,
      sentTo: SECOND,
      sent: second,
    })
    expect(await check(claim(first!), evidence)).toMatchObject({ ...RIGHT, signedBy: FIRST, sentTo: FIRST })
  })

  it('names the webhook of a request that is not in the log, and of one of two sent at the same time', async () => {
    const wanted = await sent({ secret: otherSecret, webhookId: SECOND })
    expect(await check(claim(wanted), { webhooks })).toMatchObject({
      ...RIGHT,
      signedBy: SECOND,
      sentTo: null,
    })
    const atOnce = await sent({ body: '{}' })
    expect(await check(claim(wanted), { webhooks, deliveries: [atOnce] })).toMatchObject(RIGHT)
  })

  it('reports that the webhook of a delivery has been removed', async () => {
    const removed = await sent({ secret: generateSecret(), webhookId: crypto.randomUUID() })
    const evidence = { webhooks, deliveries: [removed] }
    expect(await check(claim(removed), evidence)).toMatchObject({
      signature: 'old_secret',
      sentTo: 'removed',
    })
    const { serviceSignature: signature } = await sent()
    expect(await check(claim(removed, { signature }), evidence)).toMatchObject({
      ...{ signature: 'other_webhook', signedBy: FIRST, sentTo: 'removed' },
    })
  })
})

describe('the first differing byte', () => {
  it.each([
    ['abc', 'abX', { byte: 2, before: 'ab', sent: 'c', here: 'X' }],
    ['abc', 'ab', { byte: 2, before: 'ab', sent: 'c', here: '' }],
    ['ab', 'abc', { byte: 2, before: 'ab', sent: '', here: 'c' }],
    ['', 'a', { byte: 0, before: '', sent: '', here: 'a' }],
    ['Xb', 'ab', { byte: 0, before: '', sent: 'Xb', here: 'ab' }],
    ['ü€🦊a', 'ü€🦊b', { byte: 9, before: 'ü€🦊', sent: 'a', here: 'b' }],
    // C3 A9 and C3 A8: the first bytes are the same.
    ['aé', 'aè', { byte: 2, before: 'a', sent: 'é', here: 'è' }],
    ['🦊', '🦋', { byte: 3, before: '', sent: '🦊', here: '🦋' }],
  ])('of %j and %j is counted in UTF-8, and shown between whole characters', (was, is, expected) => {
    expect(firstDifference(was, is)).toEqual(expected)
    const [a, b] = [was, is].map((text) => [...utf8(text)])
    expect(expected.byte).toBe(a!.concat(-1).findIndex((byte, index) => byte !== (b![index] ?? -2)))
  })
})
