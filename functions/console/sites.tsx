/** The sites of the workspace, and creating one. */
import { Hono } from 'hono'
import { parseCursor } from '../../src/paging.ts'
import { createSite, listSites, SiteInput } from '../../src/sites.ts'
import type { Env, Http } from '../http/env.ts'
import { type Errors, fieldsOf, readForm, submit, type Values } from './form.ts'
import { EmptyState } from './parts/empty-state.tsx'
import { TextField } from './parts/field.tsx'
import { Form } from './parts/form.tsx'
import { PageHeading } from './parts/heading.tsx'
import { ErrorSummary } from './parts/notice.tsx'
import { Pager } from './parts/pager.tsx'
import { Table } from './parts/table.tsx'
import { Time } from './parts/time.tsx'

const SITES_A_PAGE = 50

export const sites = new Hono<Env>()

sites.get('/', async (c) => {
  const cursor = parseCursor(c.req.query('cursor') ?? '')
  const { items, next } = await listSites(c.get('ctx'), { limit: SITES_A_PAGE, cursor })
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
      {items.length > 0 ? (
        <Table
          label="Sites"
          columns={['Name', 'Domain', 'Language', 'Plan', 'Created']}
          rows={items.map((site) => [
            <a href={`/console/sites/${site.id}/api`}>{site.name}</a>,
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
