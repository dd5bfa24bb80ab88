/** A site's webhook endpoint: its URL and its signing secrets. */
import { and, eq, getTableColumns, sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import { webhookEndpoints } from '../db/schema.ts'
import { writeAs } from '../db/write.ts'
import { requireRole } from '../foundation/actor.ts'
import type { Context } from '../foundation/context.ts'
import { decrypt, encrypt } from '../foundation/encryption.ts'
import { AppError } from '../foundation/errors.ts'
import { describeError } from '../foundation/log.ts'
import { wireTime } from '../foundation/time.ts'
import { wireShape } from '../foundation/wire-shape.ts'
import { validateWebhookUrl } from './address.ts'
import { generateSecret } from './secret.ts'

/** How long the previous secret still signs after a rotation. */
const ROTATION_OVERLAP = '24 hours'
const MAX_REENCRYPTED_PER_RUN = 100

type Row = typeof webhookEndpoints.$inferSelect

export const EndpointInput = z.strictObject({ url: z.string() })

export const Endpoint = /* @__PURE__ */ wireShape(() =>
  z
    .object({
      url: z.string(),
      createdAt: z.iso.datetime(),
      updatedAt: z.iso.datetime(),
      secretRotatedAt: z.iso.datetime(),
      previousSecretExpiresAt: z.nullable(z.iso.datetime()),
    })
    .register(z.globalRegistry, { id: 'WebhookEndpoint' }),
)

/**
 * Sets the URL. The secret is generated with the endpoint, and kept when the URL changes.
 *
 * @returns the endpoint with its secret when it is new, else with `secret: null`
 * @throws AppError invalid_body naming the rule the URL breaks
 */
export async function setWebhook(ctx: Context, site: { id: string }, input: z.infer<typeof EndpointInput>) {
  requireRole(ctx, 'admin')
  const problem = validateWebhookUrl(input.url, { allowLoopback: ctx.config.ALLOW_LOOPBACK_WEBHOOKS })
  if (problem) throw new AppError('invalid_body', { path: 'url', message: problem })
  // Stored as `new URL` parses it: other tools may read the original spelling in another way.
  const url = new URL(input.url).href
  const secret = generateSecret()
  const insertion = ctx.db
    .insert(webhookEndpoints)
    .values({ siteId: site.id, url, secret: await encrypt(ctx.config, site.id, secret) })
    .onConflictDoUpdate({
      target: webhookEndpoints.siteId,
      set: {
        url,
        updatedAt: sql`case when ${webhookEndpoints.url} = ${url} then ${webhookEndpoints.updatedAt} else now() end`,
      },
    })
    .returning({ ...getTableColumns(webhookEndpoints), created: sql<boolean>`xmax = 0` })
  const [[row]] = await writeAs(ctx, [insertion])
  return { ...toEndpoint(row!), secret: row!.created ? secret : null }
}

/** @throws AppError webhook_not_found */
export async function getWebhook(ctx: Context, site: { id: string }) {
  const endpoint = await findWebhook(ctx, site)
  if (!endpoint) throw new AppError('webhook_not_found')
  return endpoint
}

/** The endpoint, or null when none is set. */
export async function findWebhook(ctx: Context, site: { id: string }) {
  return toEndpointOrNull(await selectEndpoint(ctx, site))
}

/** The query of `findWebhook`, to put in a batch; `toEndpointOrNull` reads its rows. */
export function selectEndpoint({ db }: Context, site: { id: string }) {
  return db.select().from(webhookEndpoints).where(eq(webhookEndpoints.siteId, site.id))
}

/**
 * Rotates the secret; the previous one also signs for 24 hours. With `rotatedAt`, only if there was no rotation since:
 * the second of two rotations at once would discard the secret that receivers have.
 *
 * @throws AppError webhook_not_found, or secret_rotated when there was another rotation since `rotatedAt`
 */
export async function rotateWebhookSecret(
  ctx: Context,
  site: { id: string },
  { rotatedAt }: { rotatedAt?: Date } = {},
) {
  requireRole(ctx, 'admin')
  const secret = generateSecret()
  const { siteId, secretRotatedAt } = webhookEndpoints
  const rotation = ctx.db
    .update(webhookEndpoints)
    .set({
      secret: await encrypt(ctx.config, site.id, secret),
      previousSecret: sql`${webhookEndpoints.secret}`,
      previousSecretExpiresAt: sql`now() + ${ROTATION_OVERLAP}::interval`,
      secretRotatedAt: sql`now()`,
    })
    .where(and(eq(siteId, site.id), rotatedAt && eq(secretRotatedAt, rotatedAt)))
    .returning()
  const [[row]] = await writeAs(ctx, [rotation])
  if (!row && rotatedAt && (await findWebhook(ctx, site))) throw new AppError('secret_rotated')
  if (!row) throw new AppError('webhook_not_found')
  return { ...toEndpoint(row), secret }
}

/** @throws AppError webhook_not_found */
export async function deleteWebhook(ctx: Context, site: { id: string }): Promise<void> {
  requireRole(ctx, 'admin')
  const removal = ctx.db
    .delete(webhookEndpoints)
    .where(eq(webhookEndpoints.siteId, site.id))
    .returning({ siteId: webhookEndpoints.siteId })
  const [removed] = await writeAs(ctx, [removal])
  if (removed.length === 0) throw new AppError('webhook_not_found')
}

/** The secrets that sign now: the current one, and for 24 hours after a rotation the previous one. */
export async function decryptSigningSecrets(
  { config }: Context,
  { siteId, secret, previousSecret, previousSecretExpiresAt }: Row,
): Promise<{ secret: string; previousSecret: string | null }> {
  const isOverlap = previousSecretExpiresAt !== null && previousSecretExpiresAt > new Date()
  return {
    secret: await decrypt(config, siteId, secret),
    previousSecret: previousSecret && isOverlap ? await decrypt(config, siteId, previousSecret) : null,
  }
}

/**
 * Key rotation: encrypts with the newest of WEBHOOK_KEYS what an older one has encrypted, so that the older key can be
 * removed. A secret whose key is gone is logged and left as it is.
 *
 * @returns how many endpoints were updated
 */
export async function reencryptSecrets(ctx: Context): Promise<number> {
  const newest = `${ctx.config.WEBHOOK_KEYS[0]!.id}.`
  const { secret, previousSecret } = webhookEndpoints
  const outdated = await ctx.db
    .select()
    .from(webhookEndpoints)
    .where(sql`not starts_with(${secret}, ${newest}) or not starts_with(${previousSecret}, ${newest})`)
    .limit(MAX_REENCRYPTED_PER_RUN)
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

async function reencrypt(ctx: Context, endpoint: Row): Promise<number> {
  const { siteId } = endpoint
  const { secret, previousSecret } = await decryptSigningSecrets(ctx, endpoint)
  const result = await ctx.db
    .update(webhookEndpoints)
    .set({
      secret: await encrypt(ctx.config, siteId, secret),
      previousSecret: previousSecret && (await encrypt(ctx.config, siteId, previousSecret)),
    })
    // Unless the secret was rotated meanwhile.
    .where(and(eq(webhookEndpoints.siteId, siteId), eq(webhookEndpoints.secret, endpoint.secret)))
  return result.rowCount
}

export function toEndpointOrNull([row]: Row[]) {
  return row ? toEndpoint(row) : null
}

function toEndpoint(row: Row): z.infer<typeof Endpoint> {
  return {
    url: row.url,
    createdAt: wireTime(row.createdAt),
    updatedAt: wireTime(row.updatedAt),
    secretRotatedAt: wireTime(row.secretRotatedAt),
    previousSecretExpiresAt: wireTime(row.previousSecretExpiresAt),
  }
}
