import { optionalEvents } from '../../../src/core/enums.ts'
import { IN_A_ROW } from '../../../src/sites/troubles.ts'
import { nameWebhooks } from '../../../src/webhooks/names.ts'
import type { WebhookOverview } from '../../../src/webhooks/overview.ts'
import {
  type DeliveryCounts,
  RECENT_DAYS,
  type RecentDeliveries,
} from '../../../src/webhooks/recent-deliveries.ts'
import { Badge } from '../parts/badge.tsx'
import { countsInWords, shortDay } from '../parts/bar-chart.tsx'
import { formatShare } from '../parts/quantity.ts'
import { SiteLink } from '../parts/site-link.tsx'
import { Sparkline } from '../parts/sparkline.tsx'
import { Table } from '../parts/table.tsx'
import { Time } from '../parts/time.tsx'
import { deliveriesWith } from './filter.ts'
import { webhookPath } from './paths.ts'

export function WebhookTable({ endpoints }: { endpoints: WebhookOverview[] }) {
  const names = nameWebhooks(endpoints)
  return (
    <Table
      isDense
      label="Webhooks"
      columns={['Name', 'Delivered', `Last ${RECENT_DAYS} days`, 'Last failure', 'Events']}
      rows={endpoints.map(({ id, url, events, recent }) => [
        <>
          <SiteLink to={webhookPath(id)}>{names.get(id)!}</SiteLink>{' '}
          {isFailing(recent) && <Badge tone="danger" text="Failing" />}{' '}
          <span class="below">{addressBeside(names.get(id)!, url)}</span>
        </>,
        <DeliveredShare id={id} recent={recent} />,
        <RecentBars recent={recent} />,
        recent.lastFailedAt && <Time at={recent.lastFailedAt} isRelative />,
        <span title={['article.ready', ...events].join(', ')}>
          {events.length + 1} of {optionalEvents.length + 1}
        </span>,
      ])}
    />
  )
}

/** The host and path, without what the name has of them. */
function addressBeside(name: string, url: string): string {
  const address = url.replace(/^https?:\/\//, '')
  return address.startsWith(name) ? address.slice(name.length) : address
}

/** The overview reports a webhook from the same number of failures in a row. */
export const isFailing = ({ streak }: { streak: number }) => streak >= IN_A_ROW

export const SERIES: [string, string] = ['Delivered', 'Failed']

export function RecentBars({ recent: { days, arrived, failed } }: { recent: DeliveryCounts }) {
  if (arrived + failed === 0) return null
  const text = days.map(({ day, counts }) => `${shortDay(new Date(day))} ${countsInWords(SERIES, counts)}`)
  return (
    <Sparkline
      label={`Deliveries per day: ${text.join('; ')}`}
      bars={days.map(({ counts: [good, bad] }) => ({ good, bad }))}
    />
  )
}

/** A share of failures links to them. */
export function DeliveredShare({ id, recent }: { id: string; recent: RecentDeliveries }) {
  const { arrived, failed } = recent
  const all = arrived + failed
  if (all === 0) return <span class="muted">Nothing yet</span>
  const share = formatShare(arrived, all)
  if (failed === 0) return <span>{share}</span>
  return (
    <SiteLink
      class={arrived === 0 || isFailing(recent) ? 'bad' : 'plain'}
      to={deliveriesWith({ outcome: 'not_arrived', webhook: id })}
    >
      {share}
    </SiteLink>
  )
}
