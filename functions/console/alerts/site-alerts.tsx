import { listAlerts } from '../../../src/alerts/alert.ts'
import { selectAlertSettings } from '../../../src/alerts/settings.ts'
import { createApp } from '../../http/env.ts'
import { TABS } from '../menu.ts'
import { EmptyState, TabbedHeading } from '../parts/page.tsx'
import { RequireRole } from '../parts/require-role.tsx'
import { ButtonLink } from '../parts/site-link.tsx'
import { AlertList } from './alert-list.tsx'
import { ALERT_SETTINGS, targetsOf } from './targets.ts'

const ALERTS_SHOWN = 10

export const siteAlerts = createApp()

siteAlerts.get(TABS.Settings.Alerts, async (c) => {
  const ctx = c.get('ctx')
  const [[settings], { items }] = await Promise.all([
    selectAlertSettings(ctx),
    listAlerts(ctx, c.get('site'), { limit: ALERTS_SHOWN, cursor: null }),
  ])
  const names = targetsOf(ctx, settings).map(({ name }) => name)
  const isOn = names.length > 0
  return c.render(
    <>
      <TabbedHeading title="Settings" current="Alerts" />
      {isOn || items.length > 0 ? (
        <>
          <p>
            {isOn
              ? `Sent to ${names.join(', ')} when a webhook keeps failing or recovers, and when a quota reaches 80% or 100%. At most one message an hour.`
              : 'Alerts are off. Nothing is sent.'}{' '}
            <RequireRole needs="admin">
              <a href={ALERT_SETTINGS}>Change targets</a>
            </RequireRole>
          </p>
          <AlertList alerts={items} />
        </>
      ) : (
        <EmptyState title="Alerts are off">
          <p>An admin can add Slack or email, to hear when a webhook keeps failing or a quota runs out.</p>
          <ButtonLink needs="admin" to={ALERT_SETTINGS} text="Set up alerts" look="primary" />
        </EmptyState>
      )}
    </>,
    { tab: 'Settings', title: 'Alerts', isNarrow: true },
  )
})
