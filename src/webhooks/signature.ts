/** The headers that let a receiver believe a POST. */
import { base64, fromBase64, hex } from '../digest.ts'
import { SECRET_PREFIX } from './secret.ts'

const encoder = new TextEncoder()

export type Signed = {
  /** The event's id: the same for every attempt. */
  id: string
  at: Date
  /** The exact bytes that are sent. */
  body: Uint8Array
  secret: string
  /** Signs beside the new secret for 24 hours after a rotation. */
  previousSecret: string | null
}

/**
 * The service's own headers, their deprecated names, and those of Standard Webhooks 1.0.0
 * (https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md).
 */
export async function signatureHeaders(signed: Signed): Promise<Record<string, string>> {
  const timestamp = String(Math.floor(signed.at.getTime() / 1_000))
  const own = hex(await hmac(encoder.encode(signed.secret), `${timestamp}.`, signed.body))
  const standard = await Promise.all(
    [signed.secret, signed.previousSecret]
      .filter((secret) => secret !== null)
      .map(async (secret) => {
        const key = fromBase64(secret.slice(SECRET_PREFIX.length))
        const mac = await hmac(key, `${signed.id}.${timestamp}.`, signed.body)
        return `v1,${base64(new Uint8Array(mac))}`
      }),
  )
  return {
    'X-Service-Timestamp': timestamp,
    'X-Service-Signature': own,
    'X-Legacy-Timestamp': timestamp,
    'X-Legacy-Signature': own,
    'webhook-id': signed.id,
    'webhook-timestamp': timestamp,
    'webhook-signature': standard.join(' '),
  }
}

/** HMAC-SHA256 of `before` and then `body`. */
export async function hmac(key: Uint8Array, before: string, body: Uint8Array): Promise<ArrayBuffer> {
  const imported = await crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, [
    'sign',
  ])
  const head = encoder.encode(before)
  const message = new Uint8Array(head.length + body.length)
  message.set(head)
  message.set(body, head.length)
  return crypto.subtle.sign('HMAC', imported, message)
}
