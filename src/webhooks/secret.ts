/** Webhook secrets: stored encrypted, decrypted only to sign. */
import type { Config } from '../config.ts'
import { base64, fromBase64 } from '../digest.ts'

const IV_BYTES = 12
const SECRET_BYTES = 32
export const SECRET_PREFIX = 'whsec_'

/** `whsec_` and the base64 of 32 random bytes. */
export function generateSecret(): string {
  return SECRET_PREFIX + base64(crypto.getRandomValues(new Uint8Array(SECRET_BYTES)))
}

/**
 * Encrypts with the first of WEBHOOK_KEYS, the newest; the site's id is the additional data, so that the ciphertext
 * cannot be decrypted in another site's row.
 *
 * @returns `keyId.iv.ciphertext`
 */
export async function encryptSecret(config: Config, siteId: string, secret: string): Promise<string> {
  const key = config.WEBHOOK_KEYS[0]!
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES))
  const encrypted = await crypto.subtle.encrypt(
    algorithm(iv, siteId),
    await importKey(key.bytes, 'encrypt'),
    new TextEncoder().encode(secret),
  )
  return [key.id, base64(iv), base64(new Uint8Array(encrypted))].join('.')
}

/** @throws Error when its key is no longer among WEBHOOK_KEYS, or the text was altered */
export async function decryptSecret(config: Config, siteId: string, encrypted: string): Promise<string> {
  const [id, iv = '', ciphertext = ''] = encrypted.split('.')
  const key = config.WEBHOOK_KEYS.find((candidate) => candidate.id === id)
  if (!key) throw new Error(`WEBHOOK_KEYS has no key "${id}", which a webhook secret is encrypted with`)
  const secret = await crypto.subtle.decrypt(
    algorithm(fromBase64(iv), siteId),
    await importKey(key.bytes, 'decrypt'),
    fromBase64(ciphertext),
  )
  return new TextDecoder().decode(secret)
}

function algorithm(iv: Uint8Array<ArrayBuffer>, siteId: string) {
  return { name: 'AES-GCM', iv, additionalData: new TextEncoder().encode(siteId) }
}

function importKey(bytes: Uint8Array<ArrayBuffer>, usage: 'encrypt' | 'decrypt') {
  return crypto.subtle.importKey('raw', bytes, 'AES-GCM', false, [usage])
}
