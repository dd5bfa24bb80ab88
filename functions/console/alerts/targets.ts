import type { Alert } from '../../../src/alerts/alert.ts'

/** The page of the workspace that sets the targets. */
export const ALERT_SETTINGS = '/console/alerts'

export const TARGETS: Record<Alert['results'][number]['target'], string> = {
  slack: 'Slack',
  email: 'Email',
  webhook: 'Alert webhook',
}
