/** Webhook secrets: made here, kept encrypted, opened only to sign. */
import type { Config } from '../config.ts'
import { base64, fromBase64 } from '../digest.ts'

const IV_BYTES = 12
const SECRET_BYTES = 32
export const SECRET_PREFIX = 'whsec_'

/** `whsec_` and the base64 of 32 random bytes. */
export function generateSecret(): string {
  return SECRET_PREFIX + base64(crypto.getRandomValues(new Uint8Array(SECRET_BYTES)))
}

/** `keyId.iv.ciphertext` under the newest of the webhook keys; it opens for the same site only. */
export async function sealSecret(config: Config, siteId: string, secret: string): Promise<string> {
  const key = config.WEBHOOK_KEYS[0]!
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES))
  const sealed = await crypto.subtle.encrypt(
    algorithm(iv, siteId),
    await importKey(key.bytes, 'encrypt'),
    new TextEncoder().encode(secret),
  )
  return [key.id, base64(iv), base64(new Uint8Array(sealed))].join('.')
}

/** @throws Error when the key it was sealed with is not among the webhook keys, or the text was altered */
export async function openSecret(config: Config, siteId: string, sealed: string): Promise<string> {
  const [id, iv = '', ciphertext = ''] = sealed.split('.')
  const key = config.WEBHOOK_KEYS.find((candidate) => candidate.id === id)
  if (!key) throw new Error(`WEBHOOK_KEYS has no key "${id}", which a webhook secret is encrypted with`)
  const opened = await crypto.subtle.decrypt(
    algorithm(fromBase64(iv), siteId),
    await importKey(key.bytes, 'decrypt'),
    fromBase64(ciphertext),
  )
  return new TextDecoder().decode(opened)
}

function algorithm(iv: Uint8Array<ArrayBuffer>, siteId: string) {
  return { name: 'AES-GCM', iv, additionalData: new TextEncoder().encode(siteId) }
}

function importKey(bytes: Uint8Array<ArrayBuffer>, usage: 'encrypt' | 'decrypt') {
  return crypto.subtle.importKey('raw', bytes, 'AES-GCM', false, [usage])
}
