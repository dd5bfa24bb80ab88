/** The overviews of the workspace and of one site. */
import type { Child } from 'hono/jsx'
import { findLateCron, type LateCron } from '../../src/sites/late-cron.ts'
import {
  getSiteOverview,
  listSiteOverviews,
  type SiteOverview,
  type SiteOverviews,
} from '../../src/sites/overview.ts'
import { troubles } from '../../src/sites/troubles.ts'
import { createApp } from '../http/create-app.ts'
import { EmptyState } from './parts/empty-state.tsx'
import { TextField } from './parts/fields/field.tsx'
import { PageHeading } from './parts/heading.tsx'
import { Notice } from './parts/notice.tsx'
import { formatQuantity } from './parts/quantity.ts'
import { Time } from './parts/time.tsx'
import { useSitePath } from './site.ts'
import { SiteFigures } from './site-figures.tsx'
import { NewSiteLink, NoSites } from './sites.tsx'
import { TROUBLE_TEXTS, TroubleLines } from './troubles.tsx'

const SITES_SHOWN = 20

export const workspaceOverview = createApp()

workspaceOverview.get('/', async (c) => {
  const now = new Date()
  const page = { limit: SITES_SHOWN, cursor: null }
  const { items, totals, isUncounted } = await listSiteOverviews(c.get('ctx'), page, {}, now)
  const noted = items.filter(({ severity }) => severity > 0)
  const more = totals.noted - noted.length
  const lateCron = await findLateCron(c.get('ctx'), totals.oldestMs, now)
  return c.render(
    <>
      <PageHeading
        title="Overview"
        lead="Failures, expiring keys and drafts that need review, across all sites."
        action={<NewSiteLink />}
      />
      {isUncounted && <CounterUnreachable />}
      {lateCron && <LateCronNotice {...lateCron} />}
      {totals.sites === 0 ? (
        <NoSites />
      ) : noted.length === 0 ? (
        <AllClear unless={lateCron !== null}>
          <a href="/console/sites">{formatQuantity(totals.sites, 'site')}</a>
        </AllClear>
      ) : (
        <>
          {totals.noted > 1 && <Totals totals={totals} />}
          {noted.map((each) => (
            <section class="site-lines">
              <h2>
                <SiteName of={each} />
              </h2>
              <TroubleLines of={each} now={now} isNamed />
            </section>
          ))}
          {more > 0 && (
            <p>
              <a href="/console/sites">
                {formatQuantity(more, 'more site')} {more === 1 ? 'needs' : 'need'} attention
              </a>
            </p>
          )}
        </>
      )}
    </>,
    { workspace: 'Overview' },
  )
})

/** A site that is being deleted has only its deletion page. */
function SiteName({ of: { site } }: { of: SiteOverview }) {
  const page = site.deletionStartedAt === null ? 'overview' : 'settings/deletion'
  return (
    <a href={`/console/sites/${site.id}/${page}`} dir="auto">
      {site.name}
    </a>
  )
}

function Totals({ totals }: { totals: SiteOverviews['totals'] }) {
  return (
    <ul class="totals">
      {troubles
        .filter((trouble) => totals[trouble] > 0)
        .map((trouble) => (
          <li>
            {TROUBLE_TEXTS[trouble].name}:{' '}
            <a href={`/console/sites?trouble=${trouble}`}>{formatQuantity(totals[trouble], 'site')}</a>
          </li>
        ))}
    </ul>
  )
}

/** Cloudflare documents that a changed cron trigger may take 15 minutes to start. */
function LateCronNotice({ since }: LateCron) {
  return (
    <Notice tone="danger">
      The cron job has not run{' '}
      {since ? (
        <>
          since <Time at={since} />
        </>
      ) : (
        'in the last two hours, or ever'
      )}
      . Until it runs, scheduled drafts are not published and lost webhook events are not sent. Check that{' '}
      <code>wrangler.toml</code> has <code>crons = ["* * * * *"]</code> under <code>[triggers]</code>, and
      check the Worker's Cron Events in the Cloudflare dashboard. After a deployment it can take 15 minutes to
      start.
    </Notice>
  )
}

function AllClear({ unless = false, children }: { unless?: boolean; children?: Child }) {
  if (unless) return null
  return (
    <EmptyState title="Nothing needs your attention">
      <p>
        No delivery waits to be resent, no quota is nearly used up, no key expires soon, and no draft is
        waiting for anyone. {children}
      </p>
    </EmptyState>
  )
}

function CounterUnreachable() {
  return <Notice tone="warning">The request counter is unreachable, so today's usage is unknown.</Notice>
}

function PostSearch() {
  const path = useSitePath()
  return (
    <search>
      <form method="get" action={path('/content')} class="find">
        <TextField label="Find a post" type="search" name="search" placeholder="Title or slug" />
        <button type="submit" class="button">
          Find
        </button>
      </form>
    </search>
  )
}

export const siteOverview = createApp()

siteOverview.get('/overview', async (c) => {
  const now = new Date()
  const overview = await getSiteOverview(c.get('ctx'), c.get('site'), now)
  const { found, today } = overview
  const lateCron = await findLateCron(c.get('ctx'), c.get('site').createdAt.getTime(), now)
  const isQuiet = overview.severity === 0 && found.failed === 0
  return c.render(
    <>
      <PageHeading title="Overview" />
      <PostSearch />
      {today === null && <CounterUnreachable />}
      {lateCron && <LateCronNotice {...lateCron} />}
      {isQuiet ? <AllClear unless={lateCron !== null} /> : <TroubleLines of={overview} now={now} />}
      <SiteFigures {...overview} />
    </>,
    { tab: 'Overview' },
  )
})
