/** Finds out how a signature was made: correctly, or with a common mistake of receivers. */
import { base64, equalSecrets, fromBase64, hex } from '../../core/ids.ts'
import { hmacSha256 } from '../../crypto/hmac.ts'
import { SECRET_PREFIX } from '../secret.ts'
import { compareBodies, originalsOf, utf8 } from './body.ts'

export type SigningSecrets = { secret: string; previousSecret: string | null }

/** `signature` is X-Service-Signature, or webhook-signature with `id`. */
export type ReceivedRequest = { timestamp: string; body: string; signature: string; id: string }

/** The correct way first. `key` signs `content`. */
const OWN_WAYS = [
  { found: 'right', key: 'text', content: '{timestamp}.{body}' },
  { found: 'secret_without_prefix', key: 'text_without_prefix', content: '{timestamp}.{body}' },
  { found: 'secret_decoded', key: 'bytes', content: '{timestamp}.{body}' },
  { found: 'body_alone', key: 'text', content: '{body}' },
  { found: 'body_first', key: 'text', content: '{body}.{timestamp}' },
  { found: 'body_first', key: 'text', content: '{body}{timestamp}' },
  { found: 'without_dot', key: 'text', content: '{timestamp}{body}' },
  { found: 'standard_as_hex', key: 'bytes', content: '{id}.{timestamp}.{body}' },
] as const
const STANDARD_WAYS = [
  { found: 'right', key: 'bytes', content: '{id}.{timestamp}.{body}' },
  { found: 'secret_not_decoded', key: 'text_without_prefix', content: '{id}.{timestamp}.{body}' },
  { found: 'secret_not_decoded', key: 'text', content: '{id}.{timestamp}.{body}' },
] as const

type Way = (typeof OWN_WAYS | typeof STANDARD_WAYS)[number]
export type SigningFinding = Way['found'] | 'previous_secret'

export async function identifySigning(request: ReceivedRequest, { secret, previousSecret }: SigningSecrets) {
  const isStandard = isStandardSignature(request.signature)
  const bodies = new Set(originalsOf(request.body))
  for (const each of previousSecret === null ? [secret] : [secret, previousSecret])
    for (const { found, key, content } of isStandard ? STANDARD_WAYS : OWN_WAYS)
      for (const body of bodies) {
        const mac = await hmacSha256(keyOf(each, key), '', utf8(fill(content, { ...request, body })))
        const expected = isStandard ? `v1,${base64(new Uint8Array(mac))}` : hex(mac)
        if (!(await isOneOf(expected, signaturesIn(request.signature)))) continue
        const signature: SigningFinding = found === 'right' && each !== secret ? 'previous_secret' : found
        return { timestamp: 'right' as const, body: compareBodies(body, request.body), signature }
      }
  return null
}

export function isStandardSignature(text: string): boolean {
  return /^v1,\S+( v1a?,\S+)*$/.test(text)
}

export function signaturesIn(text: string): string[] {
  return isStandardSignature(text) ? text.split(' ') : [text.toLowerCase()]
}

function keyOf(secret: string, key: Way['key']): Uint8Array {
  const withoutPrefix = secret.slice(SECRET_PREFIX.length)
  if (key === 'bytes') return fromBase64(withoutPrefix)
  return utf8(key === 'text' ? secret : withoutPrefix)
}

function fill(content: string, request: ReceivedRequest): string {
  return content.replaceAll(
    /\{(id|timestamp|body)\}/g,
    (_, part: 'id' | 'timestamp' | 'body') => request[part],
  )
}

/** In constant time, so that the check is no oracle. */
async function isOneOf(expected: string, given: string[]): Promise<boolean> {
  return (await Promise.all(given.map((each) => equalSecrets(each, expected)))).includes(true)
}
