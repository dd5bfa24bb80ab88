/** The figures of a site's overview, each with the page that has more. */
import type { Child } from 'hono/jsx'
import type { SiteOverview } from '../../../src/sites/overview.ts'
import { RECENT_DAYS, type RecentDeliveries } from '../../../src/webhooks/recent-deliveries.ts'
import { RecentBars } from '../integrations/webhook-table.tsx'
import { formatQuantity } from '../parts/quantity.ts'
import { QuotaBadge, QuotaBar } from '../parts/quota.tsx'
import { SiteLink } from '../parts/site-link.tsx'
import { DailyRequests } from '../sites.tsx'

type SiteFiguresProps = SiteOverview & { deliveries: RecentDeliveries | null }

export function SiteFigures({ published, drafts, today, daily, deliveries }: SiteFiguresProps) {
  const total = daily.reduce((sum, requests) => sum + requests, 0)
  return (
    <div class="tiles plain">
      <Tile title="Published posts" to="/content?status=published" figure={published.toLocaleString('en')}>
        <SiteLink to="/content?status=draft">{formatQuantity(drafts, 'draft')}</SiteLink>
      </Tile>
      {today && (
        <Tile title="Requests today" to="/usage" figure={today.used.toLocaleString('en')}>
          of {today.limit.toLocaleString('en')} <QuotaBadge {...today} />
          <QuotaBar label="Requests used today" {...today} />
        </Tile>
      )}
      <Tile title={`Requests in ${daily.length} days`} to="/usage" figure={total.toLocaleString('en')}>
        <DailyRequests daily={daily} />
      </Tile>
      {deliveries && deliveries.arrived + deliveries.failed > 0 && (
        <Tile
          title={`Deliveries arrived in ${RECENT_DAYS} days`}
          to="/integrations/deliveries"
          figure={deliveries.arrived.toLocaleString('en')}
        >
          of {(deliveries.arrived + deliveries.failed).toLocaleString('en')}
          <RecentBars recent={deliveries} />
        </Tile>
      )}
    </div>
  )
}

type TileProps = { title: string; to: string; figure: string; children: Child }

function Tile({ title, to, figure, children }: TileProps) {
  return (
    <section class="tile">
      <h2>{title}</h2>
      <p class="figure">
        <SiteLink to={to}>
          <strong>{figure}</strong>
        </SiteLink>
      </p>
      <div class="muted">{children}</div>
    </section>
  )
}
