import { getUsage, type Usage } from '../../../src/sites/usage.ts'
import { nameCause, OUTCOMES } from '../../../src/webhooks/outcome.ts'
import { createApp } from '../../http/env.ts'
import { toCause } from '../integrations/filter.ts'
import { BarChart } from '../parts/bar-chart.tsx'
import { EmptyState, Notice, PageHeading, Section } from '../parts/page.tsx'
import { formatShare } from '../parts/quantity.ts'
import { QuotaBadge, QuotaBar, QuotaNotice, untilReset } from '../parts/quota.tsx'
import { RequireRole } from '../parts/require-role.tsx'
import { ButtonLink, DocsLink, SiteLink } from '../parts/site-link.tsx'
import { Table } from '../parts/table.tsx'
import { Keys, Months } from './usage-by-key.tsx'

const UNDER_WAY = 'under_way'

export const usage = createApp()

usage.get('/usage', async (c) => {
  const now = new Date()
  const figures = await getUsage(c.get('ctx'), c.get('site'), now)
  const { today, days } = figures
  return c.render(
    <>
      <PageHeading title="Usage" />
      <div class="split">
        <div>
          <Section id="today" title="Today">
            {today ? (
              <Today today={today} busiest={figures.busiestKey} now={now} />
            ) : (
              <Notice tone="warning">
                The request counter is unreachable. Requests are served but not counted.
              </Notice>
            )}
          </Section>
          <Keys usage={figures.keys} now={now} />
        </div>
        <div>
          <Requests days={days} />
          <Months usage={figures.keys} now={now} />
        </div>
        <Deliveries usage={figures} />
      </div>
    </>,
    { tab: 'Usage' },
  )
})

type TodayProps = { today: NonNullable<Usage['today']>; busiest: Usage['busiestKey']; now: Date }

function Today({ today, busiest, now }: TodayProps) {
  const { full, sitemap, preview } = today
  return (
    <>
      <p class="figure">
        <strong>{number(full.used)}</strong> of {number(full.limit)} requests <QuotaBadge {...full} />
      </p>
      <QuotaBar label="Requests used today" {...full} />
      <QuotaNotice {...full} now={now}>
        {busiest && (
          <>
            The key <bdi>{busiest.name}</bdi> made {number(busiest.requests)} of the requests.{' '}
          </>
        )}
        <DocsLink to="keys#when-one-key-uses-the-quota-up">What to do</DocsLink>
      </QuotaNotice>
      <Allowance of="Sitemap-only keys" {...sitemap} />
      <Allowance of="Preview links" {...preview} />
      <p class="muted">
        Resets in {untilReset(now)}, at 00:00 UTC.{' '}
        <RequireRole needs="admin">
          <SiteLink to="/settings#plan">Change the quota</SiteLink>
        </RequireRole>
      </p>
    </>
  )
}

function Allowance({ of, ...quota }: { of: string; used: number; limit: number }) {
  if (quota.used === 0) return null
  return (
    <p>
      {of} have their own allowance: {number(quota.used)} of {number(quota.limit)} requests.{' '}
      <QuotaBadge {...quota} />
    </p>
  )
}

function Requests({ days }: { days: Usage['days'] }) {
  const total = days.reduce((sum, { requests }) => sum + requests, 0)
  return (
    <Section
      id="requests"
      title="Requests"
      lead={total > 0 && `${number(total)} in the last 30 days. Days are in UTC.`}
    >
      {total > 0 ? (
        <BarChart
          label="Requests per day"
          series={['Requests']}
          days={days.map(({ day, requests }) => ({ day, counts: [requests] }))}
        />
      ) : (
        <EmptyState title="No requests in the last 30 days">
          <p>
            Requests for lists, posts, changes and sitemaps count.{' '}
            <DocsLink to="limits">See what counts</DocsLink>
          </p>
          <ButtonLink to="/api" text="Make your first request" />
        </EmptyState>
      )}
    </Section>
  )
}

function Deliveries({ usage: { deliveries, deliveryDays, hasWebhook } }: { usage: Usage }) {
  const heading = { id: 'deliveries', title: 'Deliveries', lead: 'Webhook attempts in the last 30 days.' }
  if (deliveries.length === 0)
    return (
      <Section {...heading}>
        <NothingSent hasWebhook={hasWebhook} />
      </Section>
    )
  const delivered = deliveries.find(({ failure }) => failure === null)?.attempts ?? 0
  const failures = deliveries.filter(({ failure }) => failure !== null && failure !== UNDER_WAY)
  const underWay = deliveries.filter(({ failure }) => failure === UNDER_WAY)
  const finished = delivered + failures.reduce((sum, { attempts }) => sum + attempts, 0)
  const mostFirst = failures.toSorted((one, other) => other.attempts - one.attempts)
  return (
    <>
      <Section {...heading}>
        {finished > 0 && (
          <p class="figure">
            <strong>{formatShare(delivered, finished)}</strong> delivered
          </p>
        )}
        <Table
          isNumbers
          label="Deliveries by outcome"
          columns={['Outcome', 'Attempts', 'Share']}
          rows={[
            [OUTCOMES.delivered, number(delivered), finished > 0 && formatShare(delivered, finished)],
            ...mostFirst.map(({ failure, attempts }) => [
              nameCause(toCause(failure!)!),
              number(attempts),
              formatShare(attempts, finished),
            ]),
            ...underWay.map(({ attempts }) => [OUTCOMES.under_way, number(attempts), '']),
          ]}
        />
      </Section>
      {finished > 0 && (
        <Section id="deliveries-per-day" title="Deliveries per day" lead="Days are in UTC.">
          <BarChart
            label="Deliveries per day"
            series={[OUTCOMES.delivered, OUTCOMES.not_arrived]}
            days={deliveryDays.map(({ day, delivered, failed }) => ({ day, counts: [delivered, failed] }))}
          />
        </Section>
      )}
    </>
  )
}

function NothingSent({ hasWebhook }: { hasWebhook: boolean }) {
  return (
    <EmptyState title="Nothing sent in the last 30 days">
      {hasWebhook ? (
        <p>
          The webhook is called when a draft is marked ready.{' '}
          <SiteLink to="/integrations#test">Send a test event</SiteLink>
        </p>
      ) : (
        <p>
          No webhook is set up. A webhook notifies your CMS when a draft is marked ready.{' '}
          <SiteLink to="/integrations/webhook">Add webhook</SiteLink>
        </p>
      )}
    </EmptyState>
  )
}

function number(count: number): string {
  return count.toLocaleString('en')
}
