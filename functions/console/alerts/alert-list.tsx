/** Alerts with the targets that they were sent to. */
import type { Alert } from '../../../src/alerts/alert.ts'
import { QUOTA_SUFFIXES } from '../../../src/alerts/message.ts'
import { Badge } from '../parts/badge.tsx'
import { EmptyState } from '../parts/notice.tsx'
import { Table } from '../parts/table.tsx'
import { Time } from '../parts/time.tsx'
import { useRequestContext } from '../request-context.ts'
import { TARGETS } from './targets.ts'

/** Alerts of several sites name theirs. */
type ShownAlert = Alert & { site?: { id: string; name: string } }

export function AlertList({ alerts }: { alerts: ShownAlert[] }) {
  const { config } = useRequestContext().get('ctx')
  if (alerts.length === 0) {
    return (
      <EmptyState title={`No alerts in the last ${config.RETENTION_DELIVERY_DAYS} days`}>
        <p>No webhook failed that often, and no quota was used that far.</p>
      </EmptyState>
    )
  }
  return (
    <Table
      label="Alerts"
      columns={['Alert', 'Sent to', 'Raised']}
      rows={alerts.map((alert) => [
        <>
          {titleOf(alert)}
          <span class="below">
            {alert.site && (
              <>
                <a href={`/console/sites/${alert.site.id}/settings/alerts`} dir="auto">
                  {alert.site.name}
                </a>
                {' · '}
              </>
            )}
            {below(alert)}
          </span>
        </>,
        <SentTo alert={alert} />,
        <Time at={alert.createdAt} isRelative />,
      ])}
    />
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
