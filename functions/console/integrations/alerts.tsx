/** The latest alerts and their recipients. */
import type { Alert } from '../../../src/alerts/alert.ts'
import { QUOTA_SUFFIXES } from '../../../src/alerts/message.ts'
import { Badge } from '../parts/badge.tsx'
import { EmptyState } from '../parts/empty-state.tsx'
import { Section } from '../parts/heading.tsx'
import { Table } from '../parts/table.tsx'
import { Time } from '../parts/time.tsx'

const TARGETS: Record<Alert['results'][number]['target'], string> = {
  slack: 'Slack',
  email: 'Email',
  webhook: 'Alert webhook',
}

export function Alerts({ alerts, afterFailures }: { alerts: Alert[]; afterFailures: number }) {
  return (
    <Section
      id="alerts"
      title="Alerts"
      lead={`Sent when a webhook fails ${afterFailures === 1 ? 'once' : `${afterFailures} times in a row`}, when it recovers, and when a quota reaches 80% or 100%. At most one message an hour.`}
    >
      {alerts.length > 0 ? (
        <Table
          label="Alerts"
          columns={['Alert', 'Sent to', 'Raised']}
          rows={alerts.map((alert) => [
            <>
              {titleOf(alert)}
              <span class="below">{below(alert)}</span>
            </>,
            <SentTo alert={alert} />,
            <Time at={alert.createdAt} />,
          ])}
        />
      ) : (
        <EmptyState title="No alerts in the last 90 days">
          <p>No webhook failed that often, and no quota was used that far.</p>
        </EmptyState>
      )}
    </Section>
  )
}

function titleOf({ kind, quota, webhook }: Alert) {
  if (quota) return `${quota.percent}% of the quota used`
  return (
    <>
      <bdi>{webhook!.name}</bdi> {kind === 'webhook_failing' ? 'is failing' : 'has recovered'}
    </>
  )
}

function below({ webhook, quota }: Alert): string {
  if (quota) {
    const { limit, counter, day, key } = quota
    const made = key ? `, ${key.requests.toLocaleString('en')} of them with the key ${key.name}` : ''
    return `of ${limit.toLocaleString('en')} requests${QUOTA_SUFFIXES[counter]} on ${day}${made}`
  }
  return `${webhook!.url}, ${webhook!.failures} failed in a row`
}

function SentTo({ alert: { results, state } }: { alert: Alert }) {
  return (
    <>
      {results.map(({ target, status, error }) => (
        <Badge
          tone={error === null ? 'success' : 'danger'}
          text={error === null ? TARGETS[target] : `${TARGETS[target]}: ${status ?? error}`}
        />
      ))}
      {state === 'pending' && <Badge text="Waiting" />}
      {state === 'sending' && <span class="below">one more try in an hour</span>}
    </>
  )
}
