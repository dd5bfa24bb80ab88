/** Key rotation: re-encrypts secrets with the newest of WEBHOOK_KEYS, so that an older one can be removed. */
import { and, eq, sql } from 'drizzle-orm'
import type { Context } from '../context.ts'
import { encrypt } from '../crypto/encryption.ts'
import { webhookEndpoints } from '../db/schema.ts'
import type { EndpointRow } from './endpoint.ts'
import { decryptSecret, stillSigningSecret } from './secret.ts'

const MAX_REENCRYPTED_PER_RUN = 100

/** Logs and skips secrets whose key is gone. @returns how many endpoints were updated */
export async function reencryptSecrets(ctx: Context): Promise<number> {
  const newest = `${ctx.config.WEBHOOK_KEYS[0]!.id}.`
  const { secret, previousSecret } = webhookEndpoints
  const outdated = await ctx.db
    .select()
    .from(webhookEndpoints)
    .where(sql`not starts_with(${secret}, ${newest}) or not starts_with(${previousSecret}, ${newest})`)
    .limit(MAX_REENCRYPTED_PER_RUN)
  const updated = await Promise.all(outdated.map((endpoint) => reencrypt(ctx, endpoint)))
  return updated.reduce((sum, count) => sum + count, 0)
}

async function reencrypt(ctx: Context, endpoint: EndpointRow): Promise<number> {
  const { id } = endpoint
  const renew = async (encrypted: string) => {
    const text = await decryptSecret(ctx, endpoint, encrypted)
    return text === null ? encrypted : encrypt(ctx.config, id, text)
  }
  const previous = stillSigningSecret(endpoint)
  const [secret, previousSecret] = [await renew(endpoint.secret), previous && (await renew(previous))]
  if (secret === endpoint.secret && previousSecret === endpoint.previousSecret) return 0
  const result = await ctx.db
    .update(webhookEndpoints)
    .set({ secret, previousSecret })
    // Skips a secret that was rotated in the meantime.
    .where(and(eq(webhookEndpoints.id, id), eq(webhookEndpoints.secret, endpoint.secret)))
  return result.rowCount
}
