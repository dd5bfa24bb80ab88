/** The webhooks of a site, one a row, with their deliveries of the last days. */
import { webhookHost } from '../../../src/webhooks/endpoint.ts'
import { nameWebhooks } from '../../../src/webhooks/names.ts'
import type { WebhookOverview } from '../../../src/webhooks/overview.ts'
import { RECENT_DAYS, type RecentDeliveries } from '../../../src/webhooks/recent-deliveries.ts'
import { countsInWords, shortDay } from '../parts/bar-chart.tsx'
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
      columns={['Name', `Last ${RECENT_DAYS} days`, 'Last failure', 'Events']}
      rows={endpoints.map(({ id, name, url, events, recent }) => [
        <>
          <SiteLink to={webhookPath(id)}>{names.get(id)!}</SiteLink>
          {name !== webhookHost(url) && <span class="below">{webhookHost(url)}</span>}
        </>,
        <>
          <ArrivedShare id={id} recent={recent} /> <RecentBars recent={recent} />
        </>,
        recent.lastFailedAt && <Time at={recent.lastFailedAt} isRelative />,
        <span title={events.join(', ') || undefined}>
          article.ready{events.length > 0 && ` and ${events.length} more`}
        </span>,
      ])}
    />
  )
}

const SERIES = ['delivered', 'failed']

export function RecentBars({ recent: { days, arrived, failed } }: { recent: RecentDeliveries }) {
  if (arrived + failed === 0) return null
  const text = days.map(({ day, counts }) => `${shortDay(new Date(day))} ${countsInWords(SERIES, counts)}`)
  return (
    <Sparkline
      label={`Deliveries per day: ${text.join('; ')}`}
      bars={days.map(({ counts: [good, bad] }) => ({ good, bad }))}
    />
  )
}

/** `75% delivered (3 of 4)`, with a link to the others. Rounds down, so that 100% means all. */
export function ArrivedShare({ id, recent: { arrived, failed } }: { id: string; recent: RecentDeliveries }) {
  const all = arrived + failed
  if (all === 0) return <span class="muted">No deliveries</span>
  const percent = Math.floor((arrived / all) * 100)
  const text = `${percent}% delivered (${arrived.toLocaleString('en')} of ${all.toLocaleString('en')})`
  if (failed === 0) return <span>{text}</span>
  return <SiteLink to={deliveriesWith({ outcome: 'not_arrived', webhook: id })}>{text}</SiteLink>
}
