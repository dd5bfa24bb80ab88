import type { Alert } from '../../../src/alerts/alert.ts'
import type { AlertSettings } from '../../../src/alerts/settings.ts'
import type { Context } from '../../../src/context.ts'
import { webhookHost } from '../../../src/webhooks/endpoint.ts'
import { OUTCOMES } from '../../../src/webhooks/outcome.ts'

type Result = Alert['results'][number]

/** The page of the workspace that sets the targets. */
export const ALERT_SETTINGS = '/console/alerts'

export const TARGETS: Record<Result['target'], string> = {
  slack: 'Slack',
  email: 'Email',
  webhook: 'Alert webhook',
}

/** The targets in use, with where they are. */
export function targetsOf({ config }: Context, settings: AlertSettings | undefined) {
  const { ALERT_SLACK_URL, ALERT_EMAIL_FROM, ALERT_EMAIL_TO, ALERT_WEBHOOK_URL } = config
  const slack = settings?.slackHost ?? (ALERT_SLACK_URL && webhookHost(ALERT_SLACK_URL))
  const email = ALERT_EMAIL_FROM && (settings?.emailTo ?? ALERT_EMAIL_TO)?.join(', ')
  const webhook = ALERT_WEBHOOK_URL && webhookHost(ALERT_WEBHOOK_URL)
  return Object.entries({ slack, email, webhook }).flatMap(([target, at]) =>
    at ? [{ name: TARGETS[target as Result['target']], at }] : [],
  )
}

/** Such as `Slack: Timed out`, or `Slack: HTTP 404`. Errors of the email service have no text. */
export function nameFailure({ target, status, error }: Omit<Result, 'at'>): string {
  const texts: Record<string, string> = OUTCOMES
  return `${TARGETS[target]}: ${status === null ? (texts[error!] ?? error) : `HTTP ${status}`}`
}
