/** What a site uses and has: requests, deliveries, posts, training rows. */
import { Hono } from 'hono'
import { qualityBands } from '../../src/db/schema.ts'
import { getUsage, type Usage } from '../../src/usage.ts'
import type { Env, Http } from '../http/env.ts'
import { commandLine } from './command-line.ts'
import { FAILURE_NAMES } from './integrations/outcome.ts'
import { sitePage } from './layout.tsx'
import { BarChart } from './parts/bar-chart.tsx'
import { Snippet } from './parts/copy.tsx'
import { EmptyState } from './parts/empty-state.tsx'
import { PageHeading, Section } from './parts/heading.tsx'
import { Notice } from './parts/notice.tsx'
import { Table } from './parts/table.tsx'
import { Time } from './parts/time.tsx'
import { pathIn } from './site.ts'

export const usage = new Hono<Env>()

usage.get('/usage', async (c) => {
  const now = new Date()
  const { today, days, deliveries, posts, trainingRows } = await getUsage(c.get('ctx'), c.get('site'), now)
  return sitePage(
    c,
    { tab: 'Usage' },
    <>
      <PageHeading title="Usage" />
      <Section id="today" title="Today">
        {today ? (
          <Today c={c} today={today} now={now} />
        ) : (
          <Notice tone="warning">
            The counter of requests cannot be reached right now. Requests are served without being counted.
          </Notice>
        )}
      </Section>
      <Requests c={c} days={days} />
      <Section id="deliveries" title="Deliveries" lead="Webhook attempts of the last 30 days.">
        <Deliveries c={c} deliveries={deliveries} />
      </Section>
      <Section id="posts" title="Posts">
        <Posts c={c} posts={posts} />
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
  )
})

function Today({ c, today, now }: { c: Http; today: NonNullable<Usage['today']>; now: Date }) {
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
          Sitemap-only keys have an allowance of their own: {number(sitemap.used)} of {number(sitemap.limit)}{' '}
          requests.
        </p>
      )}
      <p class="muted">
        {full.used >= full.limit && 'Further requests are refused with 429. '}
        The count begins anew in {duration(reset.getTime() - now.getTime())}, at <Time at={reset} />.{' '}
        <a href={pathIn(c, '/settings#limits')}>Change the quota</a>
      </p>
    </>
  )
}

function Requests({ c, days }: { c: Http; days: Usage['days'] }) {
  const total = days.reduce((sum, { requests }) => sum + requests, 0)
  return (
    <Section
      id="requests"
      title="Requests"
      lead={total > 0 && `${number(total)} in the last 30 days. A day begins at midnight UTC.`}
    >
      {total > 0 ? (
        <BarChart label="Requests" days={days.map(({ day, requests }) => ({ day, count: requests }))} />
      ) : (
        <EmptyState title="No requests in the last 30 days">
          <p>
            Lists, posts, changes and sitemaps count. <a href={pathIn(c, '/api')}>Make a first request</a>
          </p>
        </EmptyState>
      )}
    </Section>
  )
}

const OUTCOMES: Record<string, string> = { ...FAILURE_NAMES, under_way: 'Under way' }

function Deliveries({ c, deliveries }: { c: Http; deliveries: Usage['deliveries'] }) {
  if (deliveries.length === 0) {
    return (
      <>
        <EmptyState title="Nothing sent yet">
          <p>A draft that is marked ready is told to the site's webhook. Set its address first.</p>
        </EmptyState>
        <Snippet
          title="Set the webhook"
          text={commandLine(c, `webhook set ${c.get('site').id} --url https://cms.example.org/hooks`)}
        />
      </>
    )
  }
  const arrived = deliveries.find(({ failure }) => failure === null)?.attempts ?? 0
  const failures = deliveries.filter(({ failure }) => failure !== null && failure !== 'under_way')
  const underWay = deliveries.filter(({ failure }) => failure === 'under_way')
  const finished = arrived + failures.reduce((sum, { attempts }) => sum + attempts, 0)
  const share = (attempts: number) => `${((attempts / finished) * 100).toFixed(1).replace(/\.0$/, '')} %`
  const others = failures.toSorted((one, other) => other.attempts - one.attempts)
  return (
    <>
      {finished > 0 && (
        <p class="figure">
          <strong>{share(arrived)}</strong> delivered
        </p>
      )}
      <div class="numbers">
        <Table
          label="Deliveries by outcome"
          columns={['Outcome', 'Attempts', 'Share']}
          rows={[
            ['Delivered', number(arrived), finished > 0 && share(arrived)],
            ...others.map(({ failure, attempts }) => [
              OUTCOMES[failure!] ?? failure!,
              number(attempts),
              share(attempts),
            ]),
            ...underWay.map(({ attempts }) => [OUTCOMES.under_way!, number(attempts), '']),
          ]}
        />
      </div>
    </>
  )
}

function Posts({ c, posts }: { c: Http; posts: Usage['posts'] }) {
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
          <a href={pathIn(c, '/content')}>Import or put some</a>
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
