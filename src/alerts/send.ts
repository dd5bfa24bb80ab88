/**
 * Sends a site's waiting alerts to every target in one message. Alerts are claimed first. If the Worker dies or a target fails,
 * they are sent once more an hour later, so a target may get an alert twice, but never more often.
 */
import type { Context } from '../context.ts'
import { describeError } from '../core/log.ts'
import { sendEmail } from '../people/email.ts'
import { validateWebhookUrl } from '../webhooks/address.ts'
import { enqueueAlerts } from '../webhooks/raised-alert.ts'
import { postEvent } from '../webhooks/send.ts'
import { signatureHeaders } from '../webhooks/signature.ts'
import { type Alert, type ClaimedAlerts, recordResults } from './alert.ts'
import { type AlertMessage, escapeForSlack, writeMessage, writeTestMessage } from './message.ts'
import { getAlertSettings, readTargets, selectAlertSettings, type Targets } from './settings.ts'

const USER_AGENT = 'headless-content-api/1.0 (+alerts)'
const HOUR_S = 3_600

type Result = Alert['results'][number]
type Target = Result['target']
type Sent = Pick<Result, 'status' | 'error'>
type Batch = {
  event: 'alert' | 'alert.test' | 'alert.service'
  site: ClaimedAlerts['site'] | null
  alerts: Alert[]
  message: AlertMessage
}

/** Null if not configured. Called one after another, because the queue consumer may have one open request. */
const TARGETS: Record<Target, (ctx: Context, targets: Targets) => ((batch: Batch) => Promise<Sent>) | null> =
  {
    slack: (ctx, { slackUrl: url }) => {
      if (!url) return null
      return ({ message }) => post(ctx, url, { text: escapeForSlack(message.text) })
    },
    email: (ctx, { emailTo: to }) => {
      const { ALERT_EMAIL_FROM: from } = ctx.config
      if (!from || !to) return null
      return async ({ message: { subject, text } }) => ({
        status: null,
        error: await sendEmail(ctx, { from, to, subject, text }),
      })
    },
    webhook: (ctx) => {
      const { ALERT_WEBHOOK_URL: url, ALERT_WEBHOOK_SECRET: secret } = ctx.config
      if (!url || !secret) return null
      return ({ event, site, alerts, message }) => {
        const content = {
          event,
          siteId: site?.id ?? null,
          site: site?.name ?? null,
          at: new Date().toISOString(),
          ...message,
        }
        const shown = alerts.map(({ id, kind, webhook, quota, createdAt }) => ({
          id,
          kind,
          webhook,
          quota,
          createdAt,
        }))
        return post(ctx, url, { ...content, alerts: shown }, secret)
      }
    },
  }

/** Never throws. An hour later, the sweep finds alerts whose results were not written. */
export async function sendAlerts(ctx: Context, claimed: ClaimedAlerts): Promise<void> {
  const { site, alerts, targets } = claimed
  for (const target of Object.keys(TARGETS) as Target[]) {
    const send = TARGETS[target](ctx, targets)
    if (!send) continue
    const unsent = alerts.filter(({ results }) => !hasReceived(results, target))
    if (unsent.length === 0) continue
    const sent = await send({
      event: 'alert',
      site,
      alerts: unsent,
      message: writeMessage(ctx.config, site, unsent),
    })
    ctx.log('alert.sent', { siteId: site.id, target, alerts: unsent.length, ...sent })
    const result = { target, at: new Date().toISOString(), ...sent }
    for (const alert of unsent)
      alert.results = [...alert.results.filter((other) => other.target !== target), result]
  }
  try {
    if (await recordResults(ctx, claimed)) await enqueueAlerts(ctx, { siteId: site.id, waitSeconds: HOUR_S })
  } catch (error) {
    ctx.log('alert.unrecorded', { siteId: site.id, error: describeError(error) })
  }
}

/** To every target at once. @throws AppError role_required for all but admins */
export async function sendTestAlert(ctx: Context): Promise<({ target: Target } & Sent)[]> {
  const targets = await readTargets(ctx, await getAlertSettings(ctx))
  return sendBatch(ctx, targets, 'alert.test', writeTestMessage(ctx.config))
}

/** A message that is about no site. If Postgres is away, only to the targets of the environment. */
export async function sendToAll(ctx: Context, event: Batch['event'], message: AlertMessage) {
  const [settings] = await selectAlertSettings(ctx).catch(() => [])
  return sendBatch(ctx, await readTargets(ctx, settings), event, message)
}

async function sendBatch(ctx: Context, targets: Targets, event: Batch['event'], message: AlertMessage) {
  const sent = (Object.keys(TARGETS) as Target[]).map(async (target) => {
    const send = TARGETS[target](ctx, targets)
    return send ? [{ target, ...(await send({ event, site: null, alerts: [], message })) }] : []
  })
  return (await Promise.all(sent)).flat()
}

const hasReceived = (results: Result[], target: Target) =>
  results.some((result) => result.target === target && result.error === null)

/** Follows the URL rules of webhooks, and signs if there is a secret. */
async function post(ctx: Context, url: string, content: object, secret?: string): Promise<Sent> {
  const problem = validateWebhookUrl(url, { allowLoopback: ctx.config.ALLOW_LOOPBACK_WEBHOOKS })
  if (problem) return { status: null, error: 'blocked_address' }
  const body = new TextEncoder().encode(JSON.stringify(content))
  const signatures = secret
    ? await signatureHeaders({ id: crypto.randomUUID(), at: new Date(), body, secret, previousSecret: null })
    : {}
  const headers = { ...signatures, 'Content-Type': 'application/json', 'User-Agent': USER_AGENT }
  const { outcome, drained } = await postEvent(ctx.fetch, url, headers, body)
  ctx.defer(drained)
  return { status: outcome.status, error: outcome.error }
}
