import type { SubtleCrypto as WorkersCrypto } from '@cloudflare/workers-types'

/** Node lacks this method. An import's dry run loads the schemas there. */
type TimingSafe = typeof crypto.subtle & Pick<WorkersCrypto, 'timingSafeEqual'>

const encoder = new TextEncoder()

export async function sha256Hex(text: string): Promise<string> {
  return hex(await crypto.subtle.digest('SHA-256', encoder.encode(text)))
}

export async function sha1Hex(text: string): Promise<string> {
  return hex(await crypto.subtle.digest('SHA-1', encoder.encode(text)))
}

/** In constant time, also for secrets of different lengths. */
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

/** Lower case, as Postgres writes them. */
export const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export const NO_ID = '00000000-0000-0000-0000-000000000000'

/** A version 8 UUID derived from the text's SHA-256. */
export async function uuidOf(text: string): Promise<string> {
  const hash = await sha256Hex(text)
  return hash.slice(0, 32).replace(/^(.{8})(.{4}).(.{3}).(.{3})/, '$1-$2-8$3-8$4-')
}
