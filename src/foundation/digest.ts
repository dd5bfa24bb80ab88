/** Web Crypto digests, as text. */

import type { SubtleCrypto as WorkersCrypto } from '@cloudflare/workers-types'

/** Node, where a dry run of an import reads the schemas, has the same without it. */
type TimingSafe = typeof crypto.subtle & Pick<WorkersCrypto, 'timingSafeEqual'>

const encoder = new TextEncoder()

/** SHA-256 of the UTF-8 bytes, in lowercase hex. */
export async function sha256Hex(text: string): Promise<string> {
  return hex(await crypto.subtle.digest('SHA-256', encoder.encode(text)))
}

/** The name under which Redis keeps a script. */
export async function sha1Hex(text: string): Promise<string> {
  return hex(await crypto.subtle.digest('SHA-1', encoder.encode(text)))
}

/** Whether two secrets are equal, in constant time: it reveals neither where they differ nor how long they are. */
export async function equalSecrets(a: string, b: string): Promise<boolean> {
  const [left, right] = await Promise.all(
    [a, b].map((text) => crypto.subtle.digest('SHA-256', encoder.encode(text))),
  )
  return (crypto.subtle as TimingSafe).timingSafeEqual(left!, right!)
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

export function hex(bytes: ArrayBuffer): string {
  let text = ''
  for (const byte of new Uint8Array(bytes)) text += HEX[byte]
  return text
}

export function base64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
}

export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
}
