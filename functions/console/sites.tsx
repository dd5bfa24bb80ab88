/** The sites of the workspace, and a new one. */
import { Hono } from 'hono'
import { parseCursor } from '../../src/paging.ts'
import { createSite, listSites, SiteInput } from '../../src/sites.ts'
import type { Env, Http } from '../http/env.ts'
import { type Errors, readForm, submit, type Values } from './form.ts'
import { workspacePage } from './layout.tsx'
import { EmptyState } from './parts/empty-state.tsx'
import { TextField } from './parts/field.tsx'
import { PageHeading } from './parts/heading.tsx'
import { Refusal } from './parts/notice.tsx'
import { Pager } from './parts/pager.tsx'
import { Table } from './parts/table.tsx'
import { Time } from './parts/time.tsx'

const SITES_A_PAGE = 50

export const sites = new Hono<Env>()

sites.get('/', async (c) => {
  const cursor = parseCursor(c.req.query('cursor') ?? '')
  const { items, next } = await listSites(c.get('ctx'), { limit: SITES_A_PAGE, cursor })
  return workspacePage(
    c,
    { title: 'Sites' },
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
          <p>
            Create a site for the blog or documentation you want to publish to. It takes a name and a domain.
          </p>
        </EmptyState>
      )}
      <Pager
        label="Pages of sites"
        back={cursor && { text: 'Newest', href: '/console/sites' }}
        next={next === null ? null : { text: 'Older', href: `/console/sites?cursor=${next}` }}
      />
    </>,
  )
})

sites.get('/new', (c) => newSitePage(c, {}, {}))

sites.post('/', async (c) => {
  const values = await readForm(c)
  const meant = { name: values.name || undefined, domain: values.domain || undefined }
  const outcome = await submit(SiteInput, meant, (input) => createSite(c.get('ctx'), input))
  if (outcome.errors) return newSitePage(c, values, outcome.errors)
  return c.redirect(`/console/sites/${outcome.done.id}/api`, 303)
})

function newSitePage(c: Http, values: Values, errors: Errors) {
  const refused = Object.keys(errors).length > 0
  return workspacePage(
    c,
    { title: 'New site', status: refused ? 400 : 200 },
    <>
      <PageHeading title="New site" lead="Everything can be changed later in the site's settings." />
      <Refusal errors={errors} />
      <form method="post" action="/console/sites" class="fields">
        <TextField
          label="Name"
          name="name"
          hint="What you and your colleagues call it."
          required
          value={values.name}
          error={errors.name}
        />
        <TextField
          label="Domain"
          name="domain"
          placeholder="blog.example.com"
          hint="Where readers will find the posts, such as blog.example.com. The sitemap is made of it."
          required
          value={values.domain}
          error={errors.domain}
        />
        <div class="actions">
          <button type="submit" class="button primary">
            Create site
          </button>
          <a class="button" href="/console/sites">
            Cancel
          </a>
        </div>
      </form>
    </>,
  )
}

export function planName(plan: string): string {
  return plan.charAt(0).toUpperCase() + plan.slice(1)
}
