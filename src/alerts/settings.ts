/** Targets and threshold of alerts. The console sets them, and environment variables are their defaults. */
import { eq, sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import type { Context } from '../context.ts'
import { requireRole } from '../core/actor.ts'
import { EmailAddress } from '../core/config.ts'
import { AppError } from '../core/errors.ts'
import { describeError } from '../core/log.ts'
import { decrypt, encrypt } from '../crypto/encryption.ts'
import { isUnchanged } from '../db/is-unchanged.ts'
import { ALERT_SETTINGS_ID, alertSettings } from '../db/schema.ts'
import { writeAs } from '../db/write.ts'
import { validateWebhookUrl } from '../webhooks/address.ts'
import { hasTarget } from '../webhooks/raised-alert.ts'

export const alertSettingsInput = ({ config }: Context) => {
  const problemOf = (url: string) =>
    validateWebhookUrl(url, { allowLoopback: config.ALLOW_LOOPBACK_WEBHOOKS })
  const isValid = z.refine<string>((url) => !problemOf(url), {
    error: ({ input }) => problemOf(String(input)) ?? '',
  })
  return z.object({
    slackUrl: z.optional(z.nullable(z.string().check(isValid))),
    emailTo: z.optional(z.nullable(z.array(EmailAddress).check(z.maxLength(50)))),
    afterFailures: z.optional(z.nullable(z.int().check(z.gte(1), z.lte(1_000)))),
  })
}
export type AlertSettingsInput = z.infer<ReturnType<typeof alertSettingsInput>>

/** As the console set them. Null is the default. */
export type AlertSettings = typeof alertSettings.$inferSelect
const UNSET: AlertSettings = {
  id: ALERT_SETTINGS_ID,
  slackUrl: null,
  slackHost: null,
  slackSetAt: null,
  emailTo: null,
  afterFailures: null,
}

/** True if alerts have a target. Asks Postgres only if the environment has none. */
export async function isAlerting(ctx: Context): Promise<boolean> {
  if (ctx.config.hasAlerts) return true
  const { rows } = await ctx.db.execute(sql`select ${hasTarget(ctx)} as "isAlerting"`)
  return rows[0]?.isAlerting === true
}

/** For a batch. */
export const selectAlertSettings = ({ db }: Context) => db.select().from(alertSettings)

/** @throws AppError role_required for all but admins */
export async function getAlertSettings(ctx: Context): Promise<AlertSettings> {
  requireRole(ctx, 'admin')
  const [settings = UNSET] = await selectAlertSettings(ctx)
  return settings
}

export type Targets = { slackUrl: string | null | undefined; emailTo: string[] | undefined }

/** A URL that cannot be decrypted is logged and skipped. */
export async function readTargets(ctx: Context, settings: AlertSettings = UNSET): Promise<Targets> {
  const { ALERT_SLACK_URL, ALERT_EMAIL_TO } = ctx.config
  const slackUrl = settings.slackUrl === null ? ALERT_SLACK_URL : await decryptUrl(ctx, settings.slackUrl)
  return { slackUrl, emailTo: settings.emailTo ?? ALERT_EMAIL_TO }
}

const decryptUrl = ({ config, log }: Context, encrypted: string) =>
  decrypt(config, ALERT_SETTINGS_ID, encrypted).catch((error) => {
    log('alert.target_undecryptable', { target: 'slack', error: describeError(error) })
    return null
  })

/** @throws AppError invalid_body; changed_meanwhile if an overwritten field differs from `current` */
export async function updateAlertSettings(
  ctx: Context,
  { slackUrl, ...others }: AlertSettingsInput,
  current: AlertSettings,
): Promise<AlertSettings> {
  requireRole(ctx, 'admin')
  if (!ctx.config.CONSOLE_URL) {
    const message = 'Alerts link to the console, so its address must be in CONSOLE_URL'
    throw new AppError('invalid_body', { path: '', message })
  }
  const changes = { ...others, ...(slackUrl !== undefined && (await slackColumns(ctx, slackUrl))) }
  if (Object.values(changes).every((value) => value === undefined)) return current
  const [[saved]] = await writeAs(ctx, [
    ctx.db
      .insert(alertSettings)
      .values({ id: ALERT_SETTINGS_ID, ...changes })
      .onConflictDoUpdate({
        target: alertSettings.id,
        set: changes,
        setWhere: isUnchanged(alertSettings, changes, current),
      })
      .returning(),
  ])
  if (!saved) throw new AppError('changed_meanwhile')
  return saved
}

async function slackColumns({ config }: Context, url: string | null) {
  if (url === null) return { slackUrl: null, slackHost: null, slackSetAt: null }
  return {
    slackUrl: await encrypt(config, ALERT_SETTINGS_ID, url),
    slackHost: new URL(url).host,
    slackSetAt: new Date(),
  }
}

/** After a rotation of WEBHOOK_KEYS. @returns how many rows were updated */
export async function reencryptAlertTargets(ctx: Context): Promise<number> {
  const [settings] = await selectAlertSettings(ctx)
  const { slackUrl } = settings ?? UNSET
  if (slackUrl === null || slackUrl.startsWith(`${ctx.config.WEBHOOK_KEYS[0]!.id}.`)) return 0
  const url = await decryptUrl(ctx, slackUrl)
  if (url === null) return 0
  const renewed = { slackUrl: await encrypt(ctx.config, ALERT_SETTINGS_ID, url) }
  // Skips a URL that was replaced in the meantime.
  const result = await ctx.db.update(alertSettings).set(renewed).where(eq(alertSettings.slackUrl, slackUrl))
  return result.rowCount
}
