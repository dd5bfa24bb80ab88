import type { Alert } from '../../../src/alerts/alert.ts'
import { OUTCOMES } from '../../../src/webhooks/outcome.ts'

type Result = Alert['results'][number]

/** The page of the workspace that sets the targets. */
export const ALERT_SETTINGS = '/console/alerts'

export const TARGETS: Record<Result['target'], string> = {
  slack: 'Slack',
  email: 'Email',
  webhook: 'Alert webhook',
}

/** Such as `Slack: Timed out`, or `Slack: HTTP 404`. Errors of the email service have no text. */
export function nameFailure({ target, status, error }: Omit<Result, 'at'>): string {
  const texts: Record<string, string> = OUTCOMES
  return `${TARGETS[target]}: ${status === null ? (texts[error!] ?? error) : `HTTP ${status}`}`
}
