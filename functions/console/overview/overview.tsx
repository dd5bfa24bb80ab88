import { type ListedEntry, selectRecentChanges, toEntries } from '../../../src/people/audit-log.ts'
import { findLateCron, type LateCron } from '../../../src/sites/late-cron.ts'
import {
  getSiteOverview,
  listSiteOverviews,
  type SiteOverview,
  type SiteOverviews,
} from '../../../src/sites/overview.ts'
import { createApp } from '../../http/env.ts'
import { Entries } from '../audit-log/entries.tsx'
import { addQuery } from '../parent-list.ts'
import { Notice, PageHeading, Section } from '../parts/page.tsx'
import { formatQuantity } from '../parts/quantity.ts'
import { ButtonLink } from '../parts/site-link.tsx'
import { Table } from '../parts/table.tsx'
import { Tile } from '../parts/tile.tsx'
import { Time } from '../parts/time.tsx'
import { useSitePath } from '../site.ts'
import { CounterUnreachable, DailyRequests, NewSiteLink, NoSites, SiteName } from '../sites.tsx'
import { FirstSteps } from './first-steps.tsx'
import { SiteFigures } from './site-figures.tsx'
import { TroubleLines } from './troubles.tsx'

const SITES_SHOWN = 10
const BUSIEST = 8

export const workspaceOverview = createApp()

workspaceOverview.get('/', async (c) => {
  const now = new Date()
  const page = { limit: SITES_SHOWN, cursor: null, busiest: BUSIEST }
  const ctx = c.get('ctx')
  const [{ items, busiest, totals, isUncounted }, recent] = await Promise.all([
    listSiteOverviews(ctx, page, {}, now),
    selectRecentChanges(ctx, null).then((rows) => toEntries(ctx, rows)),
  ])
  const noted = items.filter(({ severity }) => severity > 0)
  const lateCron = await findLateCron(ctx, totals.oldestMs, now)
  return c.render(
    <>
      <PageHeading title="Overview" action={<NewSiteLink />} />
      {isUncounted && <CounterUnreachable />}
      {lateCron && <LateCronNotice {...lateCron} />}
      {totals.sites === 0 ? <NoSites /> : <WorkspaceFigures totals={totals} isUncounted={isUncounted} />}
      <div class="split">
        {noted.length > 0 && (
          <Section
            id="attention"
            title="Needs attention"
            action={
              totals.noted > noted.length && (
                <a href="/console/sites">All {formatQuantity(totals.noted, 'site')}</a>
              )
            }
          >
            <div class="site-issues box">
              {noted.map((each) => (
                <section>
                  <h3 class="plain">
                    <SiteName site={each.site} />
                  </h3>
                  <TroubleLines of={each} now={now} isNamed />
                </section>
              ))}
            </div>
          </Section>
        )}
        <BusiestSites sites={busiest} />
      </div>
      <RecentChanges entries={recent} isOfSite={false} />
    </>,
    { workspace: 'Overview' },
  )
})

function WorkspaceFigures({ totals, isUncounted }: Pick<SiteOverviews, 'totals' | 'isUncounted'>) {
  const { sites, published, drafts, used } = totals
  return (
    <div class="tiles plain">
      <Tile title="Sites" figure={<a href="/console/sites">{sites.toLocaleString('en')}</a>} />
      <Tile
        title="Published posts"
        figure={<a href="/console/sites?sort=posts">{published.toLocaleString('en')}</a>}
      />
      <Tile title="Drafts" figure={drafts.toLocaleString('en')} />
      {!isUncounted && (
        <Tile
          title="Requests today"
          figure={<a href="/console/sites?sort=quota">{used.toLocaleString('en')}</a>}
        />
      )}
    </div>
  )
}

function BusiestSites({ sites }: { sites: SiteOverview[] }) {
  const busy = sites.filter(({ today }) => today && today.used > 0)
  if (busy.length === 0) return null
  return (
    <Section id="sites" title="Busiest sites today" action={<a href="/console/sites">All sites</a>}>
      <Table
        isNumbers
        label="Busiest sites today"
        columns={['Site', 'Last 14 days', 'Today']}
        rows={busy.map((each) => [
          <SiteName site={each.site} />,
          <DailyRequests daily={each.daily} />,
          each.today?.used.toLocaleString('en'),
        ])}
      />
    </Section>
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

function RecentChanges({ entries, isOfSite }: { entries: ListedEntry[]; isOfSite: boolean }) {
  const path = useSitePath()
  if (entries.length === 0) return null
  const log = isOfSite ? path('/audit-log') : '/console/audit-log'
  const all = <a href={addQuery(log, { action: isOfSite ? null : 'post' })}>All changes</a>
  return (
    <Section id="recent" title={isOfSite ? 'Recent changes' : 'Recent changes to posts'} action={all}>
      <Entries
        entries={entries}
        withSite={!isOfSite}
        withSource={false}
        rows="fold"
        hrefOf={(filters) => addQuery(log, filters)}
      />
    </Section>
  )
}

export const siteOverview = createApp()

siteOverview.get('/overview', async (c) => {
  const now = new Date()
  const { overview, deliveries, recent } = await getSiteOverview(c.get('ctx'), c.get('site'), now)
  const { today } = overview
  const { name, domain } = c.get('site')
  const lateCron = await findLateCron(c.get('ctx'), c.get('site').createdAt.getTime(), now)
  const isEmpty = overview.published + overview.drafts === 0
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
          !isEmpty && <ButtonLink needs="editor" to="/content/new/posts" text="New post" look="primary" />
        }
      />
      {today === null && <CounterUnreachable />}
      {lateCron && <LateCronNotice {...lateCron} />}
      <TroubleLines of={overview} now={now} />
      {isEmpty ? <FirstSteps /> : <SiteFigures {...overview} deliveries={deliveries} />}
      <RecentChanges entries={recent} isOfSite />
    </>,
    { tab: 'Overview' },
  )
})
