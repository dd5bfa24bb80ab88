import type { Alert } from '../../../src/alerts/alert.ts'
import { QUOTA_SUFFIXES } from '../../../src/alerts/message.ts'
import { Badge } from '../parts/badge.tsx'
import { EmptyState } from '../parts/page.tsx'
import { Table } from '../parts/table.tsx'
import { Time } from '../parts/time.tsx'
import { useRequestContext } from '../site.ts'
import { nameFailure, TARGETS } from './targets.ts'

/** Alerts of several sites name theirs. */
type ShownAlert = Alert & { site?: { id: string; name: string } }

export function AlertList({ alerts }: { alerts: ShownAlert[] }) {
  const { config } = useRequestContext().get('ctx')
  if (alerts.length === 0) {
    return (
      <EmptyState title={`No alerts in the last ${config.RETENTION_DELIVERY_DAYS} days`}>
        <p>A webhook that already keeps failing is reported when it fails again.</p>
      </EmptyState>
    )
  }
  return (
    <Table
      label="Alerts"
      columns={['Alert', '', 'Raised']}
      rows={alerts.map((alert) => [
        <>
          <Title alert={alert} />
          <span class="below"> {below(alert)}</span>
        </>,
        <SentTo alert={alert} />,
        <Time at={alert.createdAt} isRelative />,
      ])}
    />
  )
}

/** Such as `Engineering blog used 80% of 1,000 requests`. */
function Title({ alert: { kind, quota, webhook, site } }: { alert: ShownAlert }) {
  const siteLink = site && (
    <a href={`/console/sites/${site.id}/settings/alerts`} dir="auto">
      {site.name}
    </a>
  )
  if (quota) {
    const requests = `${quota.limit.toLocaleString('en')} requests${QUOTA_SUFFIXES[quota.counter]}`
    return (
      <span>
        {siteLink ?? 'This site'} used {quota.percent}% of {requests}
      </span>
    )
  }
  return (
    <span>
      <bdi>{webhook!.name}</bdi> {siteLink && <>of {siteLink} </>}
      {kind === 'webhook_failing' ? 'is failing' : 'has recovered'}
    </span>
  )
}

function below({ webhook, quota }: Alert): string | null {
  if (webhook) return `${webhook.failures.toLocaleString('en')} failed in a row`
  return quota?.key
    ? `${quota.key.requests.toLocaleString('en')} of them with the key ${quota.key.name}`
    : null
}

function SentTo({ alert: { results, state } }: { alert: Alert }) {
  const sent = results.filter(({ error }) => error === null).map(({ target }) => TARGETS[target])
  return (
    <>
      {sent.length > 0 && `Sent to ${sent.join(', ')} `}
      {results.map((result) => result.error !== null && <Badge tone="danger" text={nameFailure(result)} />)}
      {state === 'pending' && <Badge text="Waiting" />}
      {state === 'sending' && results.length === 0 && <Badge text="Sending" />}
      {state === 'sending' && results.length > 0 && <span class="below">one more try in an hour</span>}
    </>
  )
}
