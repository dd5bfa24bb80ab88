import type { Child } from 'hono/jsx'
import { findLateCron } from '../../../src/sites/late-cron.ts'
import { getSiteOverview, type SiteOverview } from '../../../src/sites/overview.ts'
import { type DeliveryCounts, RECENT_DAYS } from '../../../src/webhooks/recent-deliveries.ts'
import { createApp } from '../../http/env.ts'
import { RecentBars } from '../integrations/webhook-table.tsx'
import { PageHeading, Section } from '../parts/page.tsx'
import { formatQuantity, formatShare } from '../parts/quantity.ts'
import { QuotaBadge, QuotaBar } from '../parts/quota.tsx'
import { useAllowed } from '../parts/require-role.tsx'
import { ButtonLink, SiteLink } from '../parts/site-link.tsx'
import { Tile } from '../parts/tile.tsx'
import { CounterUnreachable, DailyRequests, sumOf } from '../sites.tsx'
import { LateCronNotice, RecentChanges } from './overview.tsx'
import { TroubleLines } from './troubles.tsx'

export const siteOverview = createApp()

siteOverview.get('/overview', async (c) => {
  const now = new Date()
  const { overview, deliveries, recent, hasKey } = await getSiteOverview(c.get('ctx'), c.get('site'), now)
  const { name, domain } = c.get('site')
  const lateCron = await findLateCron(c.get('ctx'), c.get('site').createdAt.getTime(), now)
  const hasPosts = overview.published + overview.drafts > 0
  return c.render(
    <>
      <PageHeading
        title={name}
        lead={
          <span class="plain">
            <a href={`https://${domain}/`} rel="noreferrer">
              {domain} ↗
            </a>
          </span>
        }
        action={
          hasPosts && <ButtonLink needs="editor" to="/content/new/posts" text="New post" look="primary" />
        }
      />
      {overview.today === null && <CounterUnreachable />}
      {lateCron && <LateCronNotice {...lateCron} />}
      <TroubleLines of={overview} now={now} />
      {hasPosts && <SiteFigures {...overview} deliveries={deliveries} />}
      <FirstSteps hasPosts={hasPosts} hasKey={hasKey} hasWebhook={deliveries !== null} />
      <RecentChanges entries={recent} isOfSite />
    </>,
    { tab: 'Overview' },
  )
})

type FirstStepsProps = { hasPosts: boolean; hasKey: boolean; hasWebhook: boolean }

/** The steps that remain. A webhook is optional, so a site with posts and a key has none. */
function FirstSteps({ hasPosts, hasKey, hasWebhook }: FirstStepsProps) {
  const [canWrite, canManage] = [useAllowed('editor'), useAllowed('admin')]
  if (!hasPosts && !canWrite) return <p class="muted">No posts yet. An editor can write or import them.</p>
  if (hasPosts && (hasKey || !canManage)) return null
  return (
    <Section id="first-steps" title={hasPosts ? 'Next steps' : 'First steps'}>
      <div class="tiles plain">
        {!hasPosts && (
          <Step
            title="Write or import"
            text="Write in Markdown or HTML, or import from Markdown, WordPress or Ghost."
          >
            <ButtonLink to="/content/new/posts" text="New post" look="primary" />
            <ButtonLink to="/settings/transfer" text="Import" />
          </Step>
        )}
        {!hasKey && canManage && (
          <Step title="Read" text="Read the content with an API key.">
            <ButtonLink to="/keys/new" text="New key" />
          </Step>
        )}
        {!hasWebhook && canManage && (
          <Step title="Notify" text="A webhook notifies your CMS when a draft is ready.">
            <ButtonLink to="/integrations/webhook" text="Add webhook" />
          </Step>
        )}
      </div>
    </Section>
  )
}

function Step({ title, text, children }: { title: string; text: string; children: Child }) {
  return (
    <section class="tile box">
      <h3>{title}</h3>
      <p class="muted">{text}</p>
      <div class="actions">{children}</div>
    </section>
  )
}

type SiteFiguresProps = SiteOverview & { deliveries: DeliveryCounts | null }

function SiteFigures({ published, drafts, today, daily, found, deliveries }: SiteFiguresProps) {
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
