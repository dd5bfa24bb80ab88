/** The figures of a site's overview, each with the page that has more. */
import type { Child } from 'hono/jsx'
import type { SiteOverview } from '../../src/sites/overview.ts'
import { formatQuantity } from './parts/quantity.ts'
import { QuotaBadge, QuotaBar } from './parts/quota.tsx'
import { SiteLink } from './parts/site-link.tsx'
import { DailyRequests } from './sites.tsx'

export function SiteFigures({ published, drafts, today, daily }: SiteOverview) {
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
      <Tile
        title={`Requests in the last ${daily.length} days`}
        to="/usage"
        figure={total.toLocaleString('en')}
      >
        <DailyRequests daily={daily} />
      </Tile>
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
