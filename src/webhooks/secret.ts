/** Webhook secrets. They are stored encrypted for their site, and decrypted only to sign. */
import { base64 } from '../foundation/digest.ts'

const SECRET_BYTES = 32
export const SECRET_PREFIX = 'whsec_'

/** `whsec_` and the base64 of 32 random bytes. */
export function generateSecret(): string {
  return SECRET_PREFIX + base64(crypto.getRandomValues(new Uint8Array(SECRET_BYTES)))
}
