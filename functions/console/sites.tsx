import { requireRole } from '../../src/core/actor.ts'
import {
  listSiteOverviews,
  parseSiteCursor,
  type SiteOverview,
  type SiteOverviews,
  siteSorts,
} from '../../src/sites/overview.ts'
import { createSite, findSiteNamed, SiteInput } from '../../src/sites/sites.ts'
import { type Trouble, troubles } from '../../src/sites/troubles.ts'
import { createApp, type Http } from '../http/env.ts'
import { Done } from './actions/done.tsx'
import { type Errors, fieldsOf, readForm, submit, type Values } from './forms/form.ts'
import { formPage } from './forms/form-page.tsx'
import { hasBadge, TROUBLE_TEXTS, TroubleBadges } from './overview/troubles.tsx'
import { addQuery } from './parent-list.ts'
import { Avatar } from './parts/avatar.tsx'
import { Badge } from './parts/badge.tsx'
import { type Option, SelectField, TextField } from './parts/fields/field.tsx'
import { Form } from './parts/fields/form.tsx'
import { FilterForm, ListEnd, NoMatch } from './parts/list.tsx'
import { EmptyState, Notice, PageHeading } from './parts/page.tsx'
import { formatQuantity } from './parts/quantity.ts'
import { QuotaBar } from './parts/quota.tsx'
import { ButtonLink } from './parts/site-link.tsx'
import { Sparkline } from './parts/sparkline.tsx'
import { Table } from './parts/table.tsx'
import { readCursor, readSearch } from './query.ts'
import { planOptions } from './usage/plans.ts'

const SITES_A_PAGE = 50
const PATH = '/console/sites'

export const sites = createApp()

sites.get('/', async (c) => {
  const asked = readFilter(c)
  const { search, trouble, sort } = asked
  const cursor = await readCursor(c, parseSiteCursor(sort))
  const page = { limit: SITES_A_PAGE, cursor }
  const filter = { ...asked, search: search ?? '' }
  const { items, next, totals, isUncounted } = await listSiteOverviews(c.get('ctx'), page, filter, new Date())
  const isFiltered = Boolean(search || trouble)
  const hasTrouble = items.some(hasBadge)
  return c.render(
    <>
      <PageHeading title="Sites" action={<NewSiteLink look="primary" />} />
      <Done of="sites" />
      {isUncounted && <CounterUnreachable />}
      {(items.length > 0 || isFiltered || cursor) && <SiteFilters {...asked} />}
      {items.length > 0 ? (
        <Table
          isDense
          label="Sites"
          columns={[
            'Site',
            hasTrouble && 'Attention',
            'Published',
            'Drafts',
            'Last 14 days',
            'Requests today',
          ]}
          numbers={['Published', 'Drafts', 'Requests today']}
          rows={items.map((item) => [
            <>
              <SiteName site={item.site} />
              <span class="below" dir="auto">
                {' '}
                {item.site.domain}
              </span>
            </>,
            <TroubleBadges of={item} />,
            countOf(item.published),
            countOf(item.drafts),
            <DailyRequests daily={item.daily} />,
            <Requests {...item} />,
          ])}
        />
      ) : isFiltered ? (
        <NoMatch what="sites" list={PATH} />
      ) : (
        <NoSites />
      )}
      <ListEnd
        what="sites"
        count={totals.sites > 0 && <Count totals={totals} asked={asked} />}
        list={pageOf(asked)}
        isFirst={cursor === null}
        next={next}
      />
    </>,
    { workspace: 'Sites' },
  )
})

type Asked = {
  search?: string
  trouble?: Trouble | 'any'
  sort: (typeof siteSorts)[number]
}

/** Ignores unknown values in the URL. */
function readFilter(c: Http): Asked {
  const { trouble, sort } = c.req.query()
  const search = readSearch(c, 'search')
  const known = [...troubles, 'any' as const].find((each) => each === trouble)
  return {
    ...(search && { search }),
    ...(known && { trouble: known }),
    sort: siteSorts.find((each) => each === sort) ?? 'trouble',
  }
}

const pageOf = ({ sort, ...filters }: Asked) =>
  addQuery(PATH, { ...filters, sort: sort === 'trouble' ? null : sort })

const TROUBLE_OPTIONS: Option[] = [
  ['', 'All sites'],
  ['any', 'Needs attention'],
  ...troubles.map((trouble): Option => [trouble, TROUBLE_TEXTS[trouble].name]),
]

const SORTS: Record<Asked['sort'], string> = {
  trouble: 'Most urgent first',
  newest: 'Newest first',
  name: 'Name',
  posts: 'Most posts',
  quota: 'Highest quota usage',
}

const SORT_OPTIONS = siteSorts.map((sort): Option => [sort === 'trouble' ? '' : sort, SORTS[sort]])

function SiteFilters({ search, trouble, sort }: Asked) {
  return (
    <FilterForm list={PATH} set={[search, trouble].filter(Boolean).length}>
      <TextField
        label="Search"
        type="search"
        name="search"
        value={search}
        placeholder="Search name or domain"
      />
      <SelectField label="Show" name="trouble" value={trouble} options={TROUBLE_OPTIONS} />
      <SelectField label="Sort" name="sort" value={sort} options={SORT_OPTIONS} />
    </FilterForm>
  )
}

/** Counts the sites of all pages. */
function Count({ totals, asked }: { totals: SiteOverviews['totals']; asked: Asked }) {
  const { sites, selected, troubled } = totals
  if (asked.trouble) return `${selected.toLocaleString('en')} of ${formatQuantity(sites, 'site')}`
  return (
    <span>
      {formatQuantity(sites, 'site')}
      {troubled > 0 && (
        <>
          ,{' '}
          <a href={pageOf({ ...asked, trouble: 'any' })}>
            {troubled.toLocaleString('en')} {troubled === 1 ? 'needs' : 'need'} attention
          </a>
        </>
      )}
    </span>
  )
}

export function NoSites() {
  return (
    <EmptyState title="No sites yet">
      <p>Create a site for your blog or documentation. All you need is a name and a domain.</p>
    </EmptyState>
  )
}

export function NewSiteLink({ look }: { look?: 'primary' }) {
  return <ButtonLink needs="admin" to="/console/sites/new" text="New site" look={look} />
}

const countOf = (count: number) => (count > 0 ? count.toLocaleString('en') : <span class="muted">0</span>)

export function CounterUnreachable() {
  return <Notice tone="warning">The request counter is unreachable, so today's usage is unknown.</Notice>
}

export const sumOf = (daily: number[]) => daily.reduce((sum, requests) => sum + requests, 0)

/** The total stands for the chart on narrow screens and for screen readers. */
export function DailyRequests({ daily }: Pick<SiteOverview, 'daily'>) {
  if (sumOf(daily) === 0) return null
  const label = `${formatQuantity(sumOf(daily), 'request')} in the last ${daily.length} days, at most ${Math.max(...daily).toLocaleString('en')} on one day`
  return <Sparkline label={label} bars={daily.map((good) => ({ good }))} />
}

function Requests({ site, today }: SiteOverview) {
  if (!today) return <span class="muted">Unknown</span>
  if (today.used === 0) return countOf(0)
  return (
    <div class="ends">
      <QuotaBar label={`Requests of ${site.name} today`} {...today} />
      <span>
        {today.used.toLocaleString('en')} of {today.limit.toLocaleString('en')}
      </span>
    </div>
  )
}

export function SiteName({ site: { id, name, deletionStartedAt } }: Pick<SiteOverview, 'site'>) {
  return (
    <>
      <Avatar name={name} isSite />
      {deletionStartedAt === null ? (
        <a href={`/console/sites/${id}/overview`} dir="auto">
          {name}
        </a>
      ) : (
        <>
          <bdi>{name}</bdi> <Badge tone="danger" text="Being deleted" />
        </>
      )}
    </>
  )
}

sites.get('/new', (c) => newSitePage(c, { plan: 'free' }, {}))

sites.post('/', async (c) => {
  const values = await readForm(c)
  const input = {
    name: values.name || undefined,
    domain: readDomain(values.domain),
    plan: values.plan || undefined,
  }
  const ctx = c.get('ctx')
  const { result, errors } = await submit(SiteInput, input, async (site) => {
    const namesake = values.second === site.name ? null : await findSiteNamed(ctx, site.name)
    return namesake ? { ...namesake, isSecond: true } : { ...(await createSite(ctx, site)), isSecond: false }
  })
  if (result && !result.isSecond) return c.redirect(`/console/sites/${result.id}/overview`, 303)
  return newSitePage(c, values, errors ?? {}, result)
})

/** People paste the URL of a blog, such as `https://example.com/blog?page=2`. */
export const readDomain = (text = '') =>
  text.trim().replace(/^(?:https?:\/\/)?([^/?#]+).*$/is, '$1') || undefined

/** The next submit confirms that it is a second site of this name. */
function newSitePage(c: Http, values: Values, errors: Errors, first?: { id: string; name: string }) {
  requireRole(c.get('ctx'), 'admin')
  const field = fieldsOf(values, errors)
  return formPage(
    c,
    { workspace: 'Sites', title: 'New site' },
    { errors },
    <Form
      needs="admin"
      action="/console/sites"
      submit={first ? 'Create site anyway' : 'Create site'}
      cancel="/console/sites"
      hidden={first ? [['second', values.name!]] : []}
    >
      <TextField
        label="Name"
        {...field('name')}
        error={first ? 'There is already a site with this name' : errors.name}
        hint={first && <a href={`/console/sites/${first.id}/overview`}>Open that site</a>}
        {...(!values.name && { autofocus: true })}
        required
      />
      <TextField
        label="Domain"
        {...field('domain')}
        placeholder="blog.example.com"
        hint="Where people read your posts. From a URL, we keep only the domain."
        required
      />
      <SelectField label="Plan" {...field('plan')} options={planOptions()} />
    </Form>,
  )
}
