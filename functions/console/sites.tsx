/** The sites of the workspace, and creating one. */
import { parseCursor } from '../../src/foundation/paging.ts'
import { listSiteOverviews, MAX_FAILING, type SiteOverview } from '../../src/sites/overview.ts'
import { createSite, SiteInput, type SiteRow } from '../../src/sites/sites.ts'
import { postEventKinds } from '../../src/webhooks/event-kinds.ts'
import { createApp } from '../http/create-app.ts'
import type { Http } from '../http/env.ts'
import { readCursor } from './cursor.ts'
import { type Errors, fieldsOf, readForm, submit, type Values } from './form.ts'
import { Badge } from './parts/badge.tsx'
import { Done } from './parts/done.tsx'
import { EmptyState } from './parts/empty-state.tsx'
import { SelectField, TextField } from './parts/field.tsx'
import { Form } from './parts/form.tsx'
import { PageHeading } from './parts/heading.tsx'
import { Needs } from './parts/needs.tsx'
import { ErrorSummary } from './parts/notice.tsx'
import { Pager } from './parts/pager.tsx'
import { formatQuantity } from './parts/quantity.ts'
import { QuotaBadge, QuotaBar } from './parts/quota.tsx'
import { Table } from './parts/table.tsx'
import { planName, planOptions } from './plans.ts'

const SITES_A_PAGE = 50
const MAX_SEARCH_LENGTH = 200

export const sites = createApp()

sites.get('/', async (c) => {
  const cursor = readCursor(c, parseCursor)
  const search = readSearch(c)
  const paging = { limit: SITES_A_PAGE, cursor }
  const { items, next } = await listSiteOverviews(c.get('ctx'), paging, { search }, new Date())
  const pageOf = (query: Record<string, string>) =>
    `/console/sites?${new URLSearchParams({ ...(search && { search }), ...query })}`
  return c.render(
    <>
      <PageHeading
        title="Sites"
        lead="Each site has its own content, keys, quota and webhook."
        action={
          <Needs who="admin">
            <a class="button primary" href="/console/sites/new">
              New site
            </a>
          </Needs>
        }
      />
      <Done of="sites" />
      {(items.length > 0 || search || cursor) && <SearchForm search={search} />}
      {items.length > 0 ? (
        <Table
          label="Sites"
          columns={['Site', 'Plan', 'Posts', 'Failing deliveries', 'Requests today']}
          rows={items.map((item) => [
            <>
              <SiteName site={item.site} />
              <span class="below" dir="auto">
                {item.site.domain}
              </span>
            </>,
            planName(item.site.plan),
            <Posts {...item} />,
            <Failing {...item} />,
            <Requests {...item} />,
          ])}
        />
      ) : (
        <NoSites search={search} isFirstPage={cursor === null} />
      )}
      <Pager
        label="Pages of sites"
        previous={cursor && { text: 'Newest', href: search ? pageOf({}) : '/console/sites' }}
        next={next === null ? null : { text: 'Older', href: pageOf({ cursor: next }) }}
      />
    </>,
    { workspace: 'Sites' },
  )
})

/** As much of it as a field takes. Postgres refuses NUL. */
function readSearch(c: Http): string {
  return (c.req.query('search') ?? '').replaceAll('\0', '').trim().slice(0, MAX_SEARCH_LENGTH).toWellFormed()
}

function SearchForm({ search }: { search: string }) {
  return (
    <search>
      <form method="get" action="/console/sites" class="filter">
        <TextField label="Search" type="search" name="search" value={search} placeholder="Name or domain" />
        <button type="submit" class="button">
          Search
        </button>
        {search && (
          <a class="button quiet" href="/console/sites">
            Clear
          </a>
        )}
      </form>
    </search>
  )
}

function NoSites({ search, isFirstPage }: { search: string; isFirstPage: boolean }) {
  if (search) {
    return (
      <EmptyState title={isFirstPage ? 'None found' : 'No more sites'}>
        <p>No site has all of these words in its name or domain.</p>
      </EmptyState>
    )
  }
  return (
    <EmptyState title={isFirstPage ? 'No sites yet' : 'No more sites'}>
      <p>Create a site for the blog or documentation you publish. It needs a name and a domain.</p>
    </EmptyState>
  )
}

function Posts({ published, drafts }: SiteOverview) {
  if (published + drafts === 0) return <span class="muted">None</span>
  return (
    <div class="unbroken">
      {published.toLocaleString('en')} published
      {drafts > 0 && <span class="below">{formatQuantity(drafts, 'draft')}</span>}
    </div>
  )
}

/** The filter takes one kind of event. */
const NOT_ARRIVED = new URLSearchParams({
  ...(postEventKinds.length === 1 && { event: postEventKinds[0] }),
  outcome: 'not_arrived',
})

/** In the last 7 days. */
function Failing({ site, failing }: SiteOverview) {
  if (failing === 0) return <span class="muted">None</span>
  const count = failing >= MAX_FAILING ? `${MAX_FAILING} or more` : String(failing)
  return (
    <a href={`/console/sites/${site.id}/integrations?${NOT_ARRIVED}#deliveries`}>
      <Badge tone="danger" text={`${count} failed`} />
      <span class="visually-hidden"> at {site.name}</span>
    </a>
  )
}

function Requests({ site, today }: SiteOverview) {
  if (!today) return <span class="muted">Unknown</span>
  return (
    <div class="quota">
      {today.used.toLocaleString('en')} of {today.limit.toLocaleString('en')} <QuotaBadge {...today} />
      {today.used > 0 && <QuotaBar label={`Requests of ${site.name} today`} {...today} />}
    </div>
  )
}

function SiteName({ site: { id, name, deletionStartedAt } }: { site: SiteRow }) {
  if (deletionStartedAt === null) return <a href={`/console/sites/${id}/api`}>{name}</a>
  return (
    <>
      {name} <Badge tone="danger" text="Being deleted" />
    </>
  )
}

sites.get('/new', (c) => newSitePage(c, { plan: 'free' }, {}))

sites.post('/', async (c) => {
  const values = await readForm(c)
  const input = {
    name: values.name || undefined,
    domain: values.domain || undefined,
    plan: values.plan || undefined,
  }
  const { result, errors } = await submit(SiteInput, input, (site) => createSite(c.get('ctx'), site))
  if (!errors) return c.redirect(`/console/sites/${result.id}/api`, 303)
  c.status(400)
  return newSitePage(c, values, errors)
})

function newSitePage(c: Http, values: Values, errors: Errors) {
  const field = fieldsOf(values, errors)
  return c.render(
    <>
      <PageHeading title="New site" lead="You can change everything later in the site's settings." />
      <ErrorSummary errors={errors} />
      <Form needs="admin" action="/console/sites" submit="Create site" cancel="/console/sites">
        <TextField label="Name" {...field('name')} hint="What you and your colleagues call it." required />
        <TextField
          label="Domain"
          {...field('domain')}
          placeholder="blog.example.com"
          hint="Where people read the posts, such as blog.example.com. The sitemap uses it."
          required
        />
        <SelectField label="Plan" {...field('plan')} options={planOptions()} />
      </Form>
    </>,
    { workspace: 'Sites', title: 'New site' },
  )
}
