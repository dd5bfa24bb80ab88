/** A site's webhook endpoint: where events go and what signs them. */
import { and, eq, getTableColumns, sql } from 'drizzle-orm'
import { z } from 'zod'
import type { Context } from '../context.ts'
import { webhookEndpoints } from '../db/schema.ts'
import { AppError } from '../errors.ts'
import { describeError } from '../log.ts'
import { wireTime } from '../time.ts'
import { brokenRule } from './address.ts'
import { generateSecret, openSecret, sealSecret } from './secret.ts'

const PREVIOUS_SECRET_SIGNS_FOR = '24 hours'
const RESEALED_AT_ONCE = 100

export const EndpointInput = z.strictObject({ url: z.string() })

export const Endpoint = z.object({
  url: z.string(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
  secretRotatedAt: z.iso.datetime(),
  previousSecretExpiresAt: z.iso.datetime().nullable(),
})

/**
 * Sets the URL. The secret is made with the endpoint and stays when the URL is set again.
 *
 * @returns the endpoint with its secret when it is new, else with `secret: null`
 * @throws AppError invalid_body naming the rule the URL breaks
 */
export async function setWebhook(ctx: Context, site: { id: string }, input: z.infer<typeof EndpointInput>) {
  const rule = brokenRule(input.url, { allowLoopback: ctx.config.ALLOW_LOOPBACK_WEBHOOKS })
  if (rule) throw new AppError('invalid_body', { path: 'url', message: rule })
  // As it is asked for, without what `new URL` mends: other tools do not.
  const url = new URL(input.url).href
  const secret = generateSecret()
  const [row] = await ctx.db
    .insert(webhookEndpoints)
    .values({ siteId: site.id, url, secret: await sealSecret(ctx.config, site.id, secret) })
    .onConflictDoUpdate({
      target: webhookEndpoints.siteId,
      set: {
        url,
        updatedAt: sql`case when ${webhookEndpoints.url} = ${url} then ${webhookEndpoints.updatedAt} else now() end`,
      },
    })
    .returning({ ...getTableColumns(webhookEndpoints), created: sql<boolean>`xmax = 0` })
  return { ...shape(row!), secret: row!.created ? secret : null }
}

/** @throws AppError webhook_missing */
export async function getWebhook(ctx: Context, site: { id: string }) {
  const endpoint = await findWebhook(ctx, site)
  if (!endpoint) throw new AppError('webhook_missing')
  return endpoint
}

/** The endpoint, or null when none is set. */
export async function findWebhook(ctx: Context, site: { id: string }) {
  return toEndpoint(await selectEndpoint(ctx, site))
}

/** The query of the endpoint, for who asks for more at once; `toEndpoint` reads its rows. */
export function selectEndpoint({ db }: Context, site: { id: string }) {
  return db.select().from(webhookEndpoints).where(eq(webhookEndpoints.siteId, site.id))
}

/**
 * Makes a new secret; the old one signs along for 24 hours. With `rotatedAt`, only if the secret is still the one
 * of then: of two rotations that were asked for at once, one would throw away the secret that receivers have.
 *
 * @throws AppError webhook_missing, or secret_rotated when the secret is another by now
 */
export async function rotateWebhookSecret(
  ctx: Context,
  site: { id: string },
  { rotatedAt }: { rotatedAt?: Date } = {},
) {
  const secret = generateSecret()
  const { siteId, secretRotatedAt } = webhookEndpoints
  const [row] = await ctx.db
    .update(webhookEndpoints)
    .set({
      secret: await sealSecret(ctx.config, site.id, secret),
      previousSecret: sql`${webhookEndpoints.secret}`,
      previousSecretExpiresAt: sql`now() + ${PREVIOUS_SECRET_SIGNS_FOR}::interval`,
      secretRotatedAt: sql`now()`,
    })
    .where(and(eq(siteId, site.id), rotatedAt && eq(secretRotatedAt, rotatedAt)))
    .returning()
  if (!row && rotatedAt && (await findWebhook(ctx, site))) throw new AppError('secret_rotated')
  if (!row) throw new AppError('webhook_missing')
  return { ...shape(row), secret }
}

/** @throws AppError webhook_missing */
export async function deleteWebhook(ctx: Context, site: { id: string }): Promise<void> {
  const removed = await ctx.db
    .delete(webhookEndpoints)
    .where(eq(webhookEndpoints.siteId, site.id))
    .returning({ siteId: webhookEndpoints.siteId })
  if (removed.length === 0) throw new AppError('webhook_missing')
}

/**
 * Encrypts anew, under the newest of the webhook keys, what an older one of them encrypts, so that the older one may
 * be taken away. A secret whose key is gone is logged and left.
 *
 * @returns how many endpoints were brought up to date
 */
export async function resealSecrets(ctx: Context): Promise<number> {
  const newest = `${ctx.config.WEBHOOK_KEYS[0]!.id}.`
  const { secret, previousSecret } = webhookEndpoints
  const outdated = await ctx.db
    .select()
    .from(webhookEndpoints)
    .where(sql`not starts_with(${secret}, ${newest}) or not starts_with(${previousSecret}, ${newest})`)
    .limit(RESEALED_AT_ONCE)
  const resealed = await Promise.all(
    outdated.map((endpoint) =>
      reseal(ctx, endpoint).catch((error) => {
        ctx.log('webhook.unsealed', { siteId: endpoint.siteId, error: describeError(error) })
        return 0
      }),
    ),
  )
  return resealed.reduce((sum, count) => sum + count, 0)
}

async function reseal(ctx: Context, endpoint: typeof webhookEndpoints.$inferSelect): Promise<number> {
  const { siteId, secret, previousSecret, previousSecretExpiresAt } = endpoint
  const anew = async (sealed: string) =>
    sealSecret(ctx.config, siteId, await openSecret(ctx.config, siteId, sealed))
  const previousSigns = previousSecretExpiresAt !== null && previousSecretExpiresAt > new Date()
  const result = await ctx.db
    .update(webhookEndpoints)
    .set({
      secret: await anew(secret),
      previousSecret: previousSecret && previousSigns ? await anew(previousSecret) : null,
    })
    // A rotation meanwhile has made a newer one.
    .where(and(eq(webhookEndpoints.siteId, siteId), eq(webhookEndpoints.secret, secret)))
  return result.rowCount
}

export function toEndpoint([row]: (typeof webhookEndpoints.$inferSelect)[]) {
  return row ? shape(row) : null
}

function shape(row: typeof webhookEndpoints.$inferSelect): z.infer<typeof Endpoint> {
  return {
    url: row.url,
    createdAt: wireTime(row.createdAt),
    updatedAt: wireTime(row.updatedAt),
    secretRotatedAt: wireTime(row.secretRotatedAt),
    previousSecretExpiresAt: wireTime(row.previousSecretExpiresAt),
  }
}
