/** Key rotation: secrets are encrypted again under the newest of WEBHOOK_KEYS, so that an older one can be removed. */
import { and, eq, sql } from 'drizzle-orm'
import { webhookEndpoints, webhookFurtherEndpoints } from '../db/schema.ts'
import type { Context } from '../foundation/context.ts'
import { encrypt } from '../foundation/encryption.ts'
import { describeError } from '../foundation/log.ts'
import { decryptSigningSecrets, type EndpointRow, isEndpoint, tableOf } from './endpoint.ts'

const MAX_REENCRYPTED_PER_RUN = 100

/** A secret whose key is gone is logged and left as it is. @returns how many endpoints were updated */
export async function reencryptSecrets(ctx: Context): Promise<number> {
  const outdated: EndpointRow[] = [
    ...(await selectOutdated(ctx, webhookEndpoints)).map((row) => ({ ...row, id: row.siteId })),
    ...((await selectOutdated(ctx, webhookFurtherEndpoints)) as EndpointRow[]),
  ]
  const updated = await Promise.all(
    outdated.map((endpoint) =>
      reencrypt(ctx, endpoint).catch((error) => {
        ctx.log('webhook.secret_undecryptable', { siteId: endpoint.siteId, error: describeError(error) })
        return 0
      }),
    ),
  )
  return updated.reduce((sum, count) => sum + count, 0)
}

function selectOutdated(ctx: Context, table: typeof webhookEndpoints | typeof webhookFurtherEndpoints) {
  const newest = `${ctx.config.WEBHOOK_KEYS[0]!.id}.`
  const { secret, previousSecret } = table
  return ctx.db
    .select()
    .from(table as typeof webhookEndpoints)
    .where(sql`not starts_with(${secret}, ${newest}) or not starts_with(${previousSecret}, ${newest})`)
    .limit(MAX_REENCRYPTED_PER_RUN)
}

async function reencrypt(ctx: Context, endpoint: EndpointRow): Promise<number> {
  const { id } = endpoint
  const site = { id: endpoint.siteId }
  const table = tableOf(site, id)
  const { secret, previousSecret } = await decryptSigningSecrets(ctx, endpoint)
  const result = await ctx.db
    .update(table)
    .set({
      secret: await encrypt(ctx.config, id, secret),
      previousSecret: previousSecret && (await encrypt(ctx.config, id, previousSecret)),
    })
    // Unless the secret was rotated meanwhile.
    .where(and(isEndpoint(site, id), eq(table.secret, endpoint.secret)))
  return result.rowCount
}
