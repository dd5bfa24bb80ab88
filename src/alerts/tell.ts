/**
 * Telling a site's alerts to every target that the deployment has. All that wait are told together, and a target that has got
 * one is not told it again. Alerts are claimed first: of a Worker that dies, or a target that fails, they are told once more
 * with what there is to tell an hour later, so that a target may be told twice, but not again and again.
 */
import type { Context } from '../context.ts'
import { describeError } from '../core/log.ts'
import { sendEmail } from '../people/email.ts'
import { validateWebhookUrl } from '../webhooks/address.ts'
import { postEvent } from '../webhooks/send.ts'
import { signatureHeaders } from '../webhooks/signature.ts'
import { enqueueAlerts } from '../webhooks/streak.ts'
import { type Alert, type ClaimedAlerts, recordResults } from './alert.ts'
import { type AlertMessage, escapeForSlack, writeMessage } from './message.ts'

const USER_AGENT = 'headless-content-api/1.0 (+alerts)'
const HOUR_S = 3_600

type Result = Alert['results'][number]
type Target = Result['target']
type Answer = Pick<Result, 'status' | 'error'>
type Told = { site: ClaimedAlerts['site']; alerts: Alert[]; message: AlertMessage }

/** Those that are set, one after another: the consumer of the queue may have one request open. */
const TARGETS: Record<Target, (ctx: Context) => ((told: Told) => Promise<Answer>) | null> = {
  slack: (ctx) => {
    const url = ctx.config.ALERT_SLACK_URL
    if (!url) return null
    return ({ message }) => post(ctx, url, { text: escapeForSlack(message.text) })
  },
  email: (ctx) => {
    const { ALERT_EMAIL_FROM: from, ALERT_EMAIL_TO: to } = ctx.config
    if (!from || !to) return null
    return async ({ message: { subject, text } }) => ({
      status: null,
      error: await sendEmail(ctx, { from, to, subject, text }),
    })
  },
  webhook: (ctx) => {
    const { ALERT_WEBHOOK_URL: url, ALERT_WEBHOOK_SECRET: secret } = ctx.config
    if (!url || !secret) return null
    return ({ site, alerts, message }) => {
      const told = {
        event: 'alert',
        siteId: site.id,
        site: site.name,
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
      return post(ctx, url, { ...told, alerts: shown }, secret)
    }
  },
}

/** Tells claimed alerts. Never throws: what cannot be written is found by the sweep an hour later. */
export async function tellAlerts(ctx: Context, claimed: ClaimedAlerts): Promise<void> {
  const { site, alerts } = claimed
  for (const target of Object.keys(TARGETS) as Target[]) {
    const tell = TARGETS[target](ctx)
    if (!tell) continue
    const untold = alerts.filter(({ results }) => !hasGot(results, target))
    if (untold.length === 0) continue
    const answer = await tell({ site, alerts: untold, message: writeMessage(ctx.config, site, untold) })
    ctx.log('alert.told', { siteId: site.id, target, alerts: untold.length, ...answer })
    const result = { target, at: new Date().toISOString(), ...answer }
    for (const alert of untold)
      alert.results = [...alert.results.filter((other) => other.target !== target), result]
  }
  try {
    if (await recordResults(ctx, claimed)) await enqueueAlerts(ctx, { siteId: site.id, waitSeconds: HOUR_S })
  } catch (error) {
    ctx.log('alert.unrecorded', { siteId: site.id, error: describeError(error) })
  }
}

const hasGot = (results: Result[], target: Target) =>
  results.some((result) => result.target === target && result.error === null)

/** By the rules of webhooks, and signed like one if there is a secret. */
async function post(ctx: Context, url: string, content: object, secret?: string): Promise<Answer> {
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
