/** The sites of the workspace, and creating one. */
import { parseCursor } from '../../src/paging.ts'
import { createSite, listSiteRows, SiteInput, type SiteRow } from '../../src/sites.ts'
import { createApp } from '../http/create-app.ts'
import type { Http } from '../http/env.ts'
import { type Errors, fieldsOf, readForm, submit, type Values } from './form.ts'
import { Badge } from './parts/badge.tsx'
import { EmptyState } from './parts/empty-state.tsx'
import { TextField } from './parts/field.tsx'
import { Form } from './parts/form.tsx'
import { PageHeading } from './parts/heading.tsx'
import { ErrorSummary } from './parts/notice.tsx'
import { Pager } from './parts/pager.tsx'
import { Success } from './parts/success.tsx'
import { Table } from './parts/table.tsx'
import { Time } from './parts/time.tsx'
import { DELETION } from './site.ts'

const SITES_A_PAGE = 50

export const sites = createApp()

sites.get('/', async (c) => {
  const cursor = parseCursor(c.req.query('cursor') ?? '')
  const { items, next } = await listSiteRows(c.get('ctx'), { limit: SITES_A_PAGE, cursor })
  return c.render(
    <>
      <PageHeading
        title="Sites"
        lead="Each site has its own content, keys, quota and webhook."
        action={
          <a class="button primary" href="/console/sites/new">
            New site
          </a>
        }
      />
      {c.req.query('done') === 'deleted' && <Success>The site is deleted.</Success>}
      {items.length > 0 ? (
        <Table
          label="Sites"
          columns={['Name', 'Domain', 'Language', 'Plan', 'Created']}
          rows={items.map((site) => [
            <SiteName site={site} />,
            site.domain,
            site.defaultLanguage,
            planName(site.plan),
            <Time at={site.createdAt} />,
          ])}
        />
      ) : (
        <EmptyState title={cursor ? 'No more sites' : 'No sites yet'}>
          <p>Create a site for the blog or documentation you publish. It needs a name and a domain.</p>
        </EmptyState>
      )}
      <Pager
        label="Pages of sites"
        previous={cursor && { text: 'Newest', href: '/console/sites' }}
        next={next === null ? null : { text: 'Older', href: `/console/sites?cursor=${next}` }}
      />
    </>,
    { title: 'Sites' },
  )
})

function SiteName({ site: { id, name, deletionStartedAt } }: { site: SiteRow }) {
  if (deletionStartedAt === null) return <a href={`/console/sites/${id}/api`}>{name}</a>
  return (
    <>
      {name} <Badge tone="danger" text="Being deleted" />
      <form method="post" action={`/console/sites/${id}${DELETION}`}>
        <button type="submit" class="button small">
          Continue<span class="visually-hidden"> deleting {name}</span>
        </button>
      </form>
    </>
  )
}

sites.get('/new', (c) => newSitePage(c, {}, {}))

sites.post('/', async (c) => {
  const values = await readForm(c)
  const input = { name: values.name || undefined, domain: values.domain || undefined }
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
      <Form action="/console/sites" submit="Create site" cancel="/console/sites">
        <TextField label="Name" {...field('name')} hint="What you and your colleagues call it." required />
        <TextField
          label="Domain"
          {...field('domain')}
          placeholder="blog.example.com"
          hint="Where people read the posts, such as blog.example.com. The sitemap uses it."
          required
        />
      </Form>
    </>,
    { title: 'New site' },
  )
}

export function planName(plan: string): string {
  return plan.charAt(0).toUpperCase() + plan.slice(1)
}
