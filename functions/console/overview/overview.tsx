import { type ListedEntry, selectRecentChanges, toEntries } from '../../../src/people/audit-log.ts'
import { findLateCron, type LateCron } from '../../../src/sites/late-cron.ts'
import { listSiteOverviews, type SiteOverview, type SiteOverviews } from '../../../src/sites/overview.ts'
import { type Trouble, troubles } from '../../../src/sites/troubles.ts'
import { createApp } from '../../http/env.ts'
import { Entries } from '../audit-log/entries.tsx'
import { addQuery } from '../parent-list.ts'
import { Notice, PageHeading, Section } from '../parts/page.tsx'
import { formatQuantity } from '../parts/quantity.ts'
import { Tile } from '../parts/tile.tsx'
import { Time } from '../parts/time.tsx'
import { useSitePath } from '../site.ts'
import { CounterUnreachable, NewSiteLink, NoSites, SiteName } from '../sites.tsx'
import { SitesWithTrouble, shownOf, TroubleLines } from './troubles.tsx'

const SITES_SHOWN = 10
/** Up to this many, each site with a trouble has its own line. */
const MANY_SITES = 3

export const workspaceOverview = createApp()

workspaceOverview.get('/', async (c) => {
  const now = new Date()
  const page = { limit: SITES_SHOWN, cursor: null }
  const ctx = c.get('ctx')
  const [{ items, totals, isUncounted }, recent] = await Promise.all([
    listSiteOverviews(ctx, page, {}, now),
    selectRecentChanges(ctx, null).then((rows) => toEntries(ctx, rows)),
  ])
  const lateCron = await findLateCron(ctx, totals.oldestMs, now)
  return c.render(
    <>
      <PageHeading title="Overview" action={<NewSiteLink />} />
      {isUncounted && <CounterUnreachable />}
      {lateCron && <LateCronNotice {...lateCron} />}
      {totals.sites === 0 ? <NoSites /> : <WorkspaceFigures totals={totals} isUncounted={isUncounted} />}
      {totals.troubled > 0 && <Attention sites={items} totals={totals} now={now} />}
      <RecentChanges entries={recent} isOfSite={false} />
    </>,
    { workspace: 'Overview' },
  )
})

type AttentionProps = { sites: SiteOverview[]; totals: SiteOverviews['totals']; now: Date }

/** A trouble of many sites is one line. */
function Attention({ sites, totals, now }: AttentionProps) {
  const isFolded = (trouble: Trouble) =>
    totals.troubles[trouble] >
    Math.min(MANY_SITES, sites.filter((each) => shownOf(each).includes(trouble)).length)
  const folded = troubles.filter(isFolded)
  const named = sites.filter((each) => shownOf(each).some((trouble) => !isFolded(trouble)))
  return (
    <Section
      id="attention"
      title="Needs attention"
      action={<a href="/console/sites?trouble=any">{formatQuantity(totals.troubled, 'site')}</a>}
    >
      <div class="site-issues box">
        {folded.map((trouble) => (
          <SitesWithTrouble trouble={trouble} count={totals.troubles[trouble]} />
        ))}
        {named.map((each) => (
          <section>
            <h3 class="plain">
              <SiteName site={each.site} />
            </h3>
            <TroubleLines of={each} now={now} without={folded} isNamed />
          </section>
        ))}
      </div>
    </Section>
  )
}

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

/** Cloudflare documents that a changed cron trigger may take 15 minutes to start. */
export function LateCronNotice({ since }: LateCron) {
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

export function RecentChanges({ entries, isOfSite }: { entries: ListedEntry[]; isOfSite: boolean }) {
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
