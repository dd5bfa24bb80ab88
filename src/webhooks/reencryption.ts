/** Key rotation: re-encrypts secrets with the newest of WEBHOOK_KEYS, so that an older one can be removed. */
import { and, gt, sql } from 'drizzle-orm'
import type { Context } from '../context.ts'
import { NO_ID } from '../core/ids.ts'
import { encrypt } from '../crypto/encryption.ts'
import { inTimedBatches } from '../db/batches.ts'
import { alertSettings, webhookEndpoints } from '../db/schema.ts'
import type { EndpointRow } from './endpoint.ts'
import { decryptSecret, stillSigningSecret } from './secret.ts'

const { id, secret, previousSecret } = webhookEndpoints

const newestPrefix = ({ config }: Context) => `${config.WEBHOOK_KEYS[0]!.id}.`

const isOutdated = (ctx: Context) =>
  sql`(not starts_with(${secret}, ${newestPrefix(ctx)}) or not starts_with(${previousSecret}, ${newestPrefix(ctx)}))`

/** Logs and skips secrets whose key is gone. Leaves the rest to the next sweep after ten seconds. @returns how many endpoints were updated */
export async function reencryptSecrets(ctx: Context): Promise<number> {
  let updated = 0
  let last = NO_ID
  await inTimedBatches(async (rows) => {
    const outdated = await ctx.db
      .select()
      .from(webhookEndpoints)
      .where(and(isOutdated(ctx), gt(id, last)))
      .orderBy(id)
      .limit(rows)
    updated += await reencrypt(ctx, outdated)
    last = outdated.at(-1)?.id ?? last
    return { isLast: outdated.length < rows }
  })
  return updated
}

/** Webhooks and alert targets that still need an older key. */
export async function countSecretsLeft(ctx: Context): Promise<number> {
  const { rows } = await ctx.db.execute(sql`
    select (select count(*) from ${webhookEndpoints} where ${isOutdated(ctx)})
      + (select count(*) from ${alertSettings} where not starts_with(slack_url, ${newestPrefix(ctx)})) as left`)
  return Number(rows[0]!.left)
}

async function reencrypt(ctx: Context, endpoints: EndpointRow[]): Promise<number> {
  const renewed = (await Promise.all(endpoints.map((endpoint) => renew(ctx, endpoint)))).flat()
  if (renewed.length === 0) return 0
  // Skips a secret that was rotated in the meantime.
  const { rowCount } = await ctx.db.execute(sql`
    update ${webhookEndpoints} e set secret = n.secret, previous_secret = n.previous
    from jsonb_to_recordset(${JSON.stringify(renewed)}::jsonb) as n (id uuid, old text, secret text, previous text)
    where e.id = n.id and e.secret = n.old`)
  return rowCount
}

async function renew(ctx: Context, endpoint: EndpointRow) {
  const { id, secret: old } = endpoint
  const renewText = async (encrypted: string) => {
    const text = await decryptSecret(ctx, endpoint, encrypted)
    return text === null ? encrypted : encrypt(ctx.config, id, text)
  }
  const stillSigning = stillSigningSecret(endpoint)
  const [secret, previous] = [await renewText(old), stillSigning && (await renewText(stillSigning))]
  return secret === old && previous === endpoint.previousSecret ? [] : [{ id, old, secret, previous }]
}
