import type { Config } from '../core/config.ts'
import { base64, fromBase64 } from '../core/ids.ts'

const IV_BYTES = 12

/** AES-GCM under the newest key. `decrypt` needs the same `purpose`. @returns `keyId.iv.ciphertext` */
export async function encrypt(config: Config, purpose: string, text: string): Promise<string> {
  const key = config.WEBHOOK_KEYS[0]!
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES))
  const encrypted = await crypto.subtle.encrypt(
    algorithm(iv, purpose),
    await importKey(key.bytes, 'encrypt'),
    new TextEncoder().encode(text),
  )
  return [key.id, base64(iv), base64(new Uint8Array(encrypted))].join('.')
}

/** @throws Error if the key is no longer in WEBHOOK_KEYS, the purpose differs or the text was altered */
export async function decrypt(config: Config, purpose: string, encrypted: string): Promise<string> {
  const [id, iv = '', ciphertext = ''] = encrypted.split('.')
  const key = config.WEBHOOK_KEYS.find((candidate) => candidate.id === id)
  if (!key) throw new Error(`WEBHOOK_KEYS lacks the key "${id}", which encrypted this text`)
  const text = await crypto.subtle.decrypt(
    algorithm(fromBase64(iv), purpose),
    await importKey(key.bytes, 'decrypt'),
    fromBase64(ciphertext),
  )
  return new TextDecoder().decode(text)
}

function algorithm(iv: Uint8Array<ArrayBuffer>, purpose: string) {
  return { name: 'AES-GCM', iv, additionalData: new TextEncoder().encode(purpose) }
}

function importKey(bytes: Uint8Array<ArrayBuffer>, usage: 'encrypt' | 'decrypt') {
  return crypto.subtle.importKey('raw', bytes, 'AES-GCM', false, [usage])
}
