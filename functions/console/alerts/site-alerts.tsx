/** A site's latest alerts, with the targets that they were sent to. */
import { type Alert, listAlerts } from '../../../src/alerts/alert.ts'
import { QUOTA_SUFFIXES } from '../../../src/alerts/message.ts'
import { isAlerting } from '../../../src/alerts/settings.ts'
import { createApp } from '../../http/create-app.ts'
import { Badge } from '../parts/badge.tsx'
import { EmptyState } from '../parts/empty-state.tsx'
import { Section } from '../parts/heading.tsx'
import { ButtonLink } from '../parts/site-link.tsx'
import { Table } from '../parts/table.tsx'
import { Time } from '../parts/time.tsx'
import { SETTINGS_PAGES, SettingsHeading } from '../settings/heading.tsx'
import { ALERT_SETTINGS, TARGETS } from './targets.ts'

const ALERTS_SHOWN = 10

export const siteAlerts = createApp()

siteAlerts.get(SETTINGS_PAGES.Alerts, async (c) => {
  const ctx = c.get('ctx')
  const [isOn, { items }] = await Promise.all([
    isAlerting(ctx),
    listAlerts(ctx, c.get('site'), { limit: ALERTS_SHOWN, cursor: null }),
  ])
  return c.render(
    <>
      <SettingsHeading current="Alerts" />
      <Section
        id="alerts"
        title="Latest alerts"
        lead={
          isOn
            ? 'Sent when a webhook keeps failing or recovers, and when a quota reaches 80% or 100%. At most one message an hour.'
            : 'Alerts are off: they have no target.'
        }
        action={
          <ButtonLink needs="admin" to={ALERT_SETTINGS} text={isOn ? 'Change targets' : 'Set a target'} />
        }
      >
        {items.length > 0 ? (
          <Table
            label="Alerts"
            columns={['Alert', 'Sent to', 'Raised']}
            rows={items.map((alert) => [
              <>
                {titleOf(alert)}
                <span class="below">{below(alert)}</span>
              </>,
              <SentTo alert={alert} />,
              <Time at={alert.createdAt} />,
            ])}
          />
        ) : (
          isOn && (
            <EmptyState title="No alerts in the last 90 days">
              <p>No webhook failed that often, and no quota was used that far.</p>
            </EmptyState>
          )
        )}
      </Section>
    </>,
    { tab: 'Settings', title: 'Alerts' },
  )
})

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
