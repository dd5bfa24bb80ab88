/** A site's latest alerts, with the targets that they were sent to. */
import { listAlerts } from '../../../src/alerts/alert.ts'
import { isAlerting } from '../../../src/alerts/settings.ts'
import { createApp } from '../../http/create-app.ts'
import { EmptyState } from '../parts/notice.tsx'
import { ButtonLink } from '../parts/site-link.tsx'
import { SETTINGS_PAGES, SettingsHeading } from '../settings/heading.tsx'
import { AlertList } from './alert-list.tsx'
import { ALERT_SETTINGS } from './targets.ts'

const ALERTS_SHOWN = 10

export const siteAlerts = createApp()

siteAlerts.get(SETTINGS_PAGES.Alerts, async (c) => {
  const ctx = c.get('ctx')
  const [isOn, { items }] = await Promise.all([
    isAlerting(ctx),
    listAlerts(ctx, c.get('site'), { limit: ALERTS_SHOWN, cursor: null }),
  ])
  const targets = (
    <ButtonLink needs="admin" to={ALERT_SETTINGS} text={isOn ? 'Change targets' : 'Set a target'} />
  )
  return c.render(
    <>
      <SettingsHeading current="Alerts" />
      {isOn || items.length > 0 ? (
        <>
          <div class="heading">
            <p class="muted">
              {isOn
                ? 'Sent when a webhook keeps failing or recovers, and when a quota reaches 80% or 100%. At most one message an hour.'
                : 'Alerts are off: they have no target.'}
            </p>
            {targets}
          </div>
          <AlertList alerts={items} />
        </>
      ) : (
        <EmptyState title="No alerts">
          <p>They need a target.</p>
          {targets}
        </EmptyState>
      )}
    </>,
    { tab: 'Settings', title: 'Alerts', isNarrow: true },
  )
})
