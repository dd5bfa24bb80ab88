import type { SiteOverview } from '../../../src/sites/overview.ts'
import { type DeliveryCounts, RECENT_DAYS } from '../../../src/webhooks/recent-deliveries.ts'
import { RecentBars } from '../integrations/webhook-table.tsx'
import { formatQuantity, formatShare } from '../parts/quantity.ts'
import { QuotaBadge, QuotaBar } from '../parts/quota.tsx'
import { SiteLink } from '../parts/site-link.tsx'
import { Tile } from '../parts/tile.tsx'
import { DailyRequests, sumOf } from '../sites.tsx'

type SiteFiguresProps = SiteOverview & { deliveries: DeliveryCounts | null }

export function SiteFigures({ published, drafts, today, daily, found, deliveries }: SiteFiguresProps) {
  const sent = deliveries ? deliveries.arrived + deliveries.failed : 0
  return (
    <div class="tiles plain">
      <Tile title="Published posts" figure={linked('/content?status=published', published)}>
        <SiteLink to="/content?status=draft">{formatQuantity(drafts, 'draft')}</SiteLink>
      </Tile>
      {today && (
        <Tile title="Requests today" figure={linked('/usage', today.used)}>
          of {today.limit.toLocaleString('en')} <QuotaBadge {...today} />
          <QuotaBar label="Requests used today" {...today} />
        </Tile>
      )}
      {sumOf(daily) > 0 && (
        <Tile title={`Requests, ${daily.length} days`} figure={linked('/usage', sumOf(daily))}>
          <DailyRequests daily={daily} />
        </Tile>
      )}
      {deliveries && sent > 0 && (
        <Tile
          title="Deliveries"
          isBad={found.failing > 0}
          figure={<SiteLink to="/integrations/deliveries">{formatShare(deliveries.arrived, sent)}</SiteLink>}
        >
          delivered, {deliveries.arrived.toLocaleString('en')} of {sent.toLocaleString('en')} in {RECENT_DAYS}{' '}
          days
          <RecentBars recent={deliveries} />
        </Tile>
      )}
    </div>
  )
}

const linked = (to: string, figure: number) => <SiteLink to={to}>{figure.toLocaleString('en')}</SiteLink>
