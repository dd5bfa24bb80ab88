/** What a site uses: requests, deliveries, posts, training rows. */
import { qualityBands } from '../../src/db/schema.ts'
import { getUsage, type Usage } from '../../src/usage.ts'
import { createApp } from '../http/create-app.ts'
import { CommandSnippet } from './command-snippet.tsx'
import { FAILURE_NAMES } from './integrations/outcome.ts'
import { BarChart } from './parts/bar-chart.tsx'
import { EmptyState } from './parts/empty-state.tsx'
import { PageHeading, Section } from './parts/heading.tsx'
import { Notice } from './parts/notice.tsx'
import { SiteLink } from './parts/site-link.tsx'
import { Table } from './parts/table.tsx'
import { Time } from './parts/time.tsx'

export const usage = createApp()

usage.get('/usage', async (c) => {
  const now = new Date()
  const { today, days, deliveries, posts, trainingRows } = await getUsage(c.get('ctx'), c.get('site'), now)
  return c.render(
    <>
      <PageHeading title="Usage" />
      <Section id="today" title="Today">
        {today ? (
          <Today today={today} now={now} />
        ) : (
          <Notice tone="warning">
            The request counter cannot be reached right now. Requests are served without being counted.
          </Notice>
        )}
      </Section>
      <Requests days={days} />
      <Section id="deliveries" title="Deliveries" lead="Webhook attempts in the last 30 days.">
        <Deliveries siteId={c.get('site').id} deliveries={deliveries} />
      </Section>
      <Section id="posts" title="Posts">
        <Posts posts={posts} />
      </Section>
      {trainingRows !== null && (
        <Section id="training" title="Training">
          <p>
            {trainingRows === 1
              ? 'One row is in the training export.'
              : `${number(trainingRows)} rows are in the training export.`}
          </p>
        </Section>
      )}
    </>,
    { tab: 'Usage' },
  )
})

function Today({ today, now }: { today: NonNullable<Usage['today']>; now: Date }) {
  const { full, sitemap } = today
  const reset = new Date(now)
  reset.setUTCHours(24, 0, 0, 0)
  return (
    <>
      <p class="figure">
        <strong>{number(full.used)}</strong> of {number(full.limit)} requests
      </p>
      <progress max={full.limit} value={Math.min(full.used, full.limit)} aria-label="Requests used today" />
      {sitemap.used > 0 && (
        <p>
          Sitemap-only keys have their own allowance: {number(sitemap.used)} of {number(sitemap.limit)}{' '}
          requests.
        </p>
      )}
      <p class="muted">
        {full.used >= full.limit && 'Further requests are refused with 429. '}
        The count resets in {duration(reset.getTime() - now.getTime())}, at <Time at={reset} />.{' '}
        <SiteLink to="/settings#limits">Change the quota</SiteLink>
      </p>
    </>
  )
}

function Requests({ days }: { days: Usage['days'] }) {
  const total = days.reduce((sum, { requests }) => sum + requests, 0)
  return (
    <Section
      id="requests"
      title="Requests"
      lead={total > 0 && `${number(total)} in the last 30 days. Days begin at midnight UTC.`}
    >
      {total > 0 ? (
        <BarChart label="Requests" days={days.map(({ day, requests }) => ({ day, count: requests }))} />
      ) : (
        <EmptyState title="No requests in the last 30 days">
          <p>
            Lists, posts, changes and sitemaps count. <SiteLink to="/api">Make a first request</SiteLink>
          </p>
        </EmptyState>
      )}
    </Section>
  )
}

const OUTCOME_NAMES: Record<string, string> = { ...FAILURE_NAMES, under_way: 'Under way' }

function Deliveries({ siteId, deliveries }: { siteId: string; deliveries: Usage['deliveries'] }) {
  if (deliveries.length === 0) {
    return (
      <>
        <EmptyState title="Nothing sent yet">
          <p>The site's webhook is called when a draft is marked ready. Set its URL first.</p>
        </EmptyState>
        <CommandSnippet
          title="Set the webhook"
          command={`webhook set ${siteId} --url https://cms.example.org/hooks`}
        />
      </>
    )
  }
  const delivered = deliveries.find(({ failure }) => failure === null)?.attempts ?? 0
  const failures = deliveries.filter(({ failure }) => failure !== null && failure !== 'under_way')
  const underWay = deliveries.filter(({ failure }) => failure === 'under_way')
  const finished = delivered + failures.reduce((sum, { attempts }) => sum + attempts, 0)
  const share = (attempts: number) => `${((attempts / finished) * 100).toFixed(1).replace(/\.0$/, '')}%`
  const mostFirst = failures.toSorted((one, other) => other.attempts - one.attempts)
  return (
    <>
      {finished > 0 && (
        <p class="figure">
          <strong>{share(delivered)}</strong> delivered
        </p>
      )}
      <div class="numbers">
        <Table
          label="Deliveries by outcome"
          columns={['Outcome', 'Attempts', 'Share']}
          rows={[
            ['Delivered', number(delivered), finished > 0 && share(delivered)],
            ...mostFirst.map(({ failure, attempts }) => [
              OUTCOME_NAMES[failure!] ?? failure!,
              number(attempts),
              share(attempts),
            ]),
            ...underWay.map(({ attempts }) => [OUTCOME_NAMES.under_way!, number(attempts), '']),
          ]}
        />
      </div>
    </>
  )
}

function Posts({ posts }: { posts: Usage['posts'] }) {
  const countOf = (band: string | null, status?: string) =>
    posts
      .filter((each) => each.qualityBand === band && (!status || each.status === status))
      .reduce((sum, { count }) => sum + count, 0)
  const bands = [...qualityBands, null]
  const all = (status?: string) => bands.reduce((sum, band) => sum + countOf(band, status), 0)
  if (all() === 0) {
    return (
      <EmptyState title="No posts yet">
        <p>
          <SiteLink to="/content">Import or create posts</SiteLink>
        </p>
      </EmptyState>
    )
  }
  return (
    <div class="numbers">
      <Table
        label="Posts by quality band and status"
        columns={['Quality', 'Drafts', 'Published', 'All']}
        rows={[
          ...bands.map((band) => [
            band ? `${band.charAt(0).toUpperCase()}${band.slice(1)}` : 'Not checked',
            number(countOf(band, 'draft')),
            number(countOf(band, 'published')),
            number(countOf(band)),
          ]),
          ['All', number(all('draft')), number(all('published')), number(all())],
        ]}
      />
    </div>
  )
}

function number(count: number): string {
  return count.toLocaleString('en')
}

/** `5 h 12 min` */
function duration(milliseconds: number): string {
  const minutes = Math.max(1, Math.ceil(milliseconds / 60_000))
  const hours = Math.floor(minutes / 60)
  return hours > 0 ? `${hours} h ${minutes % 60} min` : `${minutes} min`
}
