import { base64, fromBase64, hex } from '../core/ids.ts'
import { hmacSha256 } from '../crypto/hmac.ts'
import { SECRET_PREFIX } from './secret.ts'

const encoder = new TextEncoder()

export type SignatureInput = {
  /** The event's id, which receivers use as idempotency key. */
  id: string
  at: Date
  body: Uint8Array
  secret: string
  /** Also signs, for 24 hours after a rotation. */
  previousSecret: string | null
}

/** Includes https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md (1.0.0). */
export async function signatureHeaders(input: SignatureInput): Promise<Record<string, string>> {
  const timestamp = String(Math.floor(input.at.getTime() / 1_000))
  const own = hex(await hmacSha256(encoder.encode(input.secret), `${timestamp}.`, input.body))
  const standard = await Promise.all(
    [input.secret, input.previousSecret]
      .filter((secret) => secret !== null)
      .map(async (secret) => {
        const key = fromBase64(secret.slice(SECRET_PREFIX.length))
        const mac = await hmacSha256(key, `${input.id}.${timestamp}.`, input.body)
        return `v1,${base64(new Uint8Array(mac))}`
      }),
  )
  return {
    'X-Service-Timestamp': timestamp,
    'X-Service-Signature': own,
    'X-Legacy-Timestamp': timestamp,
    'X-Legacy-Signature': own,
    'webhook-id': input.id,
    'webhook-timestamp': timestamp,
    'webhook-signature': standard.join(' '),
  }
}
