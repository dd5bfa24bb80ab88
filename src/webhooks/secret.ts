/** Webhook secrets, stored encrypted and decrypted only to sign. */

import type { Context } from '../context.ts'
import { base64 } from '../core/ids.ts'
import { describeError } from '../core/log.ts'
import { decrypt } from '../crypto/encryption.ts'
import type { webhookEndpoints } from '../db/schema.ts'

const SECRET_BYTES = 32
export const SECRET_PREFIX = 'whsec_'

type Encrypted = typeof webhookEndpoints.$inferSelect

export function generateSecret(): string {
  return SECRET_PREFIX + base64(crypto.getRandomValues(new Uint8Array(SECRET_BYTES)))
}

/**
 * If the previous secret cannot be decrypted, the current one signs alone, so that a rotation repairs a webhook.
 *
 * @returns null if the current secret cannot be decrypted
 */
export async function decryptSigningSecrets(
  ctx: Context,
  endpoint: Encrypted,
): Promise<{ secret: string; previousSecret: string | null } | null> {
  const secret = await decryptSecret(ctx, endpoint, endpoint.secret)
  const previous = stillSigningSecret(endpoint)
  if (secret === null) return null
  return { secret, previousSecret: previous && (await decryptSecret(ctx, endpoint, previous)) }
}

/** The encrypted previous secret, for 24 hours after a rotation. */
export function stillSigningSecret({ previousSecret, previousSecretExpiresAt }: Encrypted): string | null {
  return previousSecretExpiresAt !== null && previousSecretExpiresAt > new Date() ? previousSecret : null
}

/** Null, and logged, if it cannot be decrypted. */
export function decryptSecret(
  { config, log }: Context,
  { id, siteId }: Encrypted,
  encrypted: string,
): Promise<string | null> {
  return decrypt(config, id, encrypted).catch((error) => {
    log('webhook.secret_undecryptable', { siteId, endpointId: id, error: describeError(error) })
    return null
  })
}
