/** How a signature was made: the right way, or one of the mistakes that receivers make, tried one by one. */
import { base64, equalSecrets, fromBase64, hex } from '../../core/ids.ts'
import { SECRET_PREFIX } from '../secret.ts'
import { hmacSha256 } from '../signature.ts'
import { type BodyChange, originalsOf } from './body.ts'

export type SigningSecrets = { secret: string; previousSecret: string | null }

export type SigningFinding =
  | 'previous_secret'
  | 'secret_without_prefix'
  | 'secret_decoded'
  | 'secret_not_decoded'
  | 'body_alone'
  | 'body_first'
  | 'without_dot'
  | 'standard_as_hex'

/** `timestamp` is in seconds; `signature` is hex, or a webhook-signature with its id. */
type SignedRequest = { timestamp: string; body: string; signature: string; id: string }

type SigningAttempt = {
  finding: SigningFinding | 'right'
  key: Uint8Array
  prefix: string
  body: string
  bodyChange: BodyChange | 'right'
}

/** @returns the first way of signing that gives the signature, the right one first, or null */
export async function identifySigning(request: SignedRequest, secrets: SigningSecrets) {
  const attempts = isStandardSignature(request.signature)
    ? standardSignatureAttempts(request, secrets)
    : serviceSignatureAttempts(request, secrets)
  for (const { finding, key, prefix, body, bodyChange } of attempts) {
    const mac = await hmacSha256(key, prefix, encode(body))
    if (await hasMac(request.signature, mac))
      return { timestamp: 'right' as const, body: bodyChange, signature: finding }
  }
  return null
}

/** Whether the text is a webhook-signature: one or more of `v1,<base64>`. */
export function isStandardSignature(text: string): boolean {
  return /^v1,\S+( v1a?,\S+)*$/.test(text)
}

function serviceSignatureAttempts(request: SignedRequest, secrets: SigningSecrets): SigningAttempt[] {
  const { timestamp, body, id } = request
  const prefix = `${timestamp}.`
  const key = encode(secrets.secret)
  const decoded = decodeSecret(secrets.secret)
  return [
    ...correctAttempts(prefix, body, secrets, encode),
    mistake('secret_without_prefix', encode(withoutPrefix(secrets.secret)), prefix, body),
    mistake('secret_decoded', decoded, prefix, body),
    mistake('body_alone', key, '', body),
    mistake('body_first', key, '', `${body}.${timestamp}`),
    mistake('body_first', key, '', body + timestamp),
    mistake('without_dot', key, timestamp, body),
    mistake('standard_as_hex', decoded, `${id}.${timestamp}.`, body),
  ]
}

function standardSignatureAttempts(
  { timestamp, body, id }: SignedRequest,
  secrets: SigningSecrets,
): SigningAttempt[] {
  const prefix = `${id}.${timestamp}.`
  return [
    ...correctAttempts(prefix, body, secrets, decodeSecret),
    mistake('secret_not_decoded', encode(withoutPrefix(secrets.secret)), prefix, body),
    mistake('secret_not_decoded', encode(secrets.secret), prefix, body),
  ]
}

function correctAttempts(
  prefix: string,
  body: string,
  { secret, previousSecret }: SigningSecrets,
  keyOf: (secret: string) => Uint8Array,
): SigningAttempt[] {
  const signedWith = (key: Uint8Array, finding: SigningAttempt['finding']) =>
    originalsOf(body).map(([original, bodyChange]) => ({ finding, key, prefix, body: original, bodyChange }))
  return [
    ...signedWith(keyOf(secret), 'right'),
    ...(previousSecret === null ? [] : signedWith(keyOf(previousSecret), 'previous_secret')),
  ]
}

function mistake(finding: SigningFinding, key: Uint8Array, prefix: string, body: string): SigningAttempt {
  return { finding, key, prefix, body, bodyChange: 'right' }
}

/** Constant-time, so that the check is no oracle for a signature. */
async function hasMac(signature: string, mac: ArrayBuffer): Promise<boolean> {
  const [given, expected] = isStandardSignature(signature)
    ? [signature.split(' ').map((each) => each.slice(3)), base64(new Uint8Array(mac))]
    : [[signature.toLowerCase()], hex(mac)]
  return (await Promise.all(given.map((each) => equalSecrets(each, expected)))).includes(true)
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

function withoutPrefix(secret: string): string {
  return secret.slice(SECRET_PREFIX.length)
}

function decodeSecret(secret: string): Uint8Array {
  return fromBase64(withoutPrefix(secret))
}
