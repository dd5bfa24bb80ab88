/** The redirects of a site, newest first. */
import type * as z from 'zod/mini'
import {
  findAddress,
  type ListedRedirect,
  listRedirects,
  parseRedirectCursor,
  putRedirects,
  RedirectInput,
  removeRedirect,
} from '../../../src/content/redirects/addresses.ts'
import { createApp } from '../../http/create-app.ts'
import type { Http } from '../../http/env.ts'
import { Done, redirectDone } from '../actions/done.tsx'
import { readCursor } from '../cursor.ts'
import { conflictPage } from '../forms/conflict.tsx'
import { type Errors, fieldsOf, readForm, submit } from '../forms/form.ts'
import { ORIGINAL_VALUES, saveMerged, type Values } from '../forms/three-way-merge.ts'
import { itemPath } from '../parent-list.ts'
import { Badge } from '../parts/badge.tsx'
import { DocsLink } from '../parts/docs-link.tsx'
import { EmptyState } from '../parts/empty-state.tsx'
import { TextField } from '../parts/fields/field.tsx'
import { Form, OriginalValues, PostButton } from '../parts/fields/form.tsx'
import { Section } from '../parts/heading.tsx'
import { ErrorSummary } from '../parts/notice.tsx'
import { Pager } from '../parts/pager.tsx'
import { SiteLink } from '../parts/site-link.tsx'
import { Table } from '../parts/table.tsx'
import { Time } from '../parts/time.tsx'
import { sitePath } from '../site.ts'
import { ContentHeading, REDIRECTS } from './kinds.tsx'

type Redirect = z.infer<typeof ListedRedirect>

const REDIRECTS_A_PAGE = 50
const PATH = REDIRECTS.list

export const redirects = createApp()

redirects.get(PATH, (c) => listPage(c, {}, {}))

redirects.post(PATH, async (c) => {
  const values = await readForm(c)
  const [ctx, site] = [c.get('ctx'), c.get('site')]
  const input = { from: values.from ?? '', to: values.to ?? '' }
  const { errors, conflicts } = await saveMerged({
    values,
    read: () => findAddress(ctx, site, input.from),
    toValues: (current) => ({ to: current?.to ?? '' }),
    write: (current) =>
      submit(RedirectInput, input, (redirect) =>
        putRedirects(ctx, site, [redirect], { current, where: () => '' }),
      ),
  })
  if (conflicts) {
    const choice = { conflicts, values, cancel: PATH, title: `${input.from} already redirects elsewhere` }
    return conflictPage(c, { tab: 'Content', title: 'Redirects' }, choice)
  }
  if (!errors) return redirectDone(c, PATH, 'redirects', 'saved')
  c.status(400)
  return listPage(c, values, errors)
})

redirects.post(`${PATH}/removal`, async (c) => {
  const { from = '' } = await readForm(c)
  await removeRedirect(c.get('ctx'), c.get('site'), from)
  return redirectDone(c, PATH, 'redirects', 'removed')
})

async function listPage(c: Http, values: Values, errors: Errors) {
  const cursor = c.req.method === 'POST' ? null : readCursor(c, parseRedirectCursor)
  const page = { limit: REDIRECTS_A_PAGE, cursor }
  const { items, next } = await listRedirects(c.get('ctx'), c.get('site'), page)
  const field = fieldsOf(values, errors)
  return c.render(
    <>
      <ContentHeading current="redirects" />
      <Done of="redirects" />
      <ErrorSummary errors={errors} />
      <Section id="new" title="New redirect">
        <Form needs="editor" action={PATH} submit="Save redirect">
          <OriginalValues values={{ [ORIGINAL_VALUES]: values[ORIGINAL_VALUES], to: '' }} />
          <TextField
            label="From"
            {...field('from')}
            hint="A path on the site's domain, such as /2019/05/chains. If it already redirects, you choose which target to keep."
            required
          />
          <TextField
            label="To"
            {...field('to')}
            hint="A path, or a URL of another site, optionally with ?query and #fragment. If it is the path of a post or guide, the redirect follows slug changes."
            required
          />
        </Form>
      </Section>
      {items.length > 0 ? (
        <Table
          isDense
          label="Redirects"
          columns={['From', 'To', 'State', 'Added', '']}
          rows={items.map((redirect) => [
            <code class="wraps">{redirect.from}</code>,
            <Target redirect={redirect} />,
            redirect.served ? <Badge tone="success" text="Active" /> : <Badge text="Inactive" />,
            <div class="unbroken">
              <Time at={redirect.createdAt} />
            </div>,
            <PostButton needs="editor" action={`${PATH}/removal`} name="from" value={redirect.from}>
              Remove<span class="visually-hidden"> {redirect.from}</span>
            </PostButton>,
          ])}
        />
      ) : (
        <EmptyState title={cursor ? 'No more redirects' : 'No redirects yet'}>
          <p>
            Changing the slug of a published post or guide adds one. Imports add one for each old address.{' '}
            <DocsLink to="redirects">How redirects work</DocsLink>
          </p>
        </EmptyState>
      )}
      <Pager
        label="Pages of redirects"
        previous={cursor ? { text: 'Newest', href: sitePath(c, PATH) } : null}
        next={
          next ? { text: 'Older', href: `${sitePath(c, PATH)}?cursor=${encodeURIComponent(next)}` } : null
        }
      />
    </>,
    { tab: 'Content', title: 'Redirects' },
  )
}

function Target({ redirect: { resource, slug, to } }: { redirect: Redirect }) {
  if (resource === null || slug === null) return <code class="wraps">{to}</code>
  return (
    <SiteLink class="wraps" to={itemPath(resource === 'post' ? 'posts' : 'guides', slug)}>
      {to}
    </SiteLink>
  )
}
