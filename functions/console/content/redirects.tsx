import { readSitePath, readTarget } from '../../../src/content/model/site-path.ts'
import {
  type BrowsedRedirect,
  browseRedirects,
  findAddress,
  parseRedirectCursor,
  putRedirects,
  RedirectInput,
  removeRedirect,
} from '../../../src/content/redirects/addresses.ts'
import { MAX_COUNTED_REDIRECTS } from '../../../src/content/redirects/find.ts'
import { requireRole } from '../../../src/core/actor.ts'
import { createApp, type Http } from '../../http/env.ts'
import { Done, redirectDone, useDone } from '../actions/done.tsx'
import { conflictPage } from '../forms/conflict.tsx'
import { type Errors, fieldsOf, readForm, submit, type Values } from '../forms/form.ts'
import { formPage } from '../forms/form-page.tsx'
import { ORIGINAL_VALUES, saveMerged, serializeOriginal } from '../forms/three-way-merge.ts'
import { TABS } from '../menu.ts'
import { addQuery, itemPath } from '../parent-list.ts'
import { Badge } from '../parts/badge.tsx'
import { TextField } from '../parts/fields/field.tsx'
import { Form, OriginalValues, PostButton } from '../parts/fields/form.tsx'
import { FilterForm, ListEnd, NoMatch } from '../parts/list.tsx'
import { EmptyState, TabbedHeading } from '../parts/page.tsx'
import { formatCounted } from '../parts/quantity.ts'
import { ButtonLink, DocsLink, SiteLink } from '../parts/site-link.tsx'
import { Table } from '../parts/table.tsx'
import { Time } from '../parts/time.tsx'
import { readCursor, readSearch } from '../query.ts'
import { useRequestContext } from '../site.ts'

const REDIRECTS_A_PAGE = 50
const PATH = TABS.Content.Redirects
const NEW = `${PATH}/new` as const

export const redirects = createApp()

redirects.get(PATH, async (c) => {
  const search = readSearch(c, 'search')
  const cursor = await readCursor(c, parseRedirectCursor)
  const { items, next, count } = await browseRedirects(c.get('ctx'), c.get('site'), {
    limit: REDIRECTS_A_PAGE,
    cursor,
    search,
  })
  return c.render(
    <>
      <TabbedHeading
        title="Content"
        current="Redirects"
        action={<ButtonLink needs="editor" to={NEW} text="New redirect" look="primary" />}
      />
      <RedirectDone />
      {(items.length > 0 || search !== '' || cursor) && (
        <FilterForm list={PATH} set={search ? 1 : 0}>
          <TextField
            label="Search"
            type="search"
            name="search"
            value={search}
            placeholder="Search path or target"
          />
        </FilterForm>
      )}
      {items.length > 0 ? (
        <Table
          isDense
          label="Redirects"
          columns={['From', 'To', 'Added', '']}
          rows={items.map((redirect) => [
            <code title={redirect.from}>{redirect.from}</code>,
            <>
              <Target redirect={redirect} /> <State redirect={redirect} />
            </>,
            <Time at={redirect.createdAt} isRelative />,
            <PostButton
              needs="editor"
              class="button small on-hover"
              action={`${PATH}/removal`}
              hidden={Object.entries({ from: redirect.from, search })}
            >
              Remove<span class="visually-hidden"> {redirect.from}</span>
            </PostButton>,
          ])}
        />
      ) : search ? (
        <NoMatch what="redirects" search={search} list={PATH} />
      ) : (
        <EmptyState title={cursor ? 'No more redirects' : 'No redirects yet'}>
          <p>
            Changing the slug of a published post or guide adds one. Imports add one for each old address.{' '}
            <DocsLink to="redirects">How redirects work</DocsLink>
          </p>
        </EmptyState>
      )}
      <ListEnd
        what="redirects"
        count={items.length > 0 && formatCounted(count, MAX_COUNTED_REDIRECTS, 'redirect')}
        list={listOf(search)}
        isFirst={!cursor}
        next={next}
      />
    </>,
    { tab: 'Content', title: 'Redirects' },
  )
})

redirects.get(NEW, (c) => {
  requireRole(c.get('ctx'), 'editor')
  return newPage(c, {}, {})
})

redirects.post(NEW, async (c) => {
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
    const { path = '' } = readSitePath(input.from, site.domain)
    return conflictPage(
      c,
      { tab: 'Content', title: 'Redirects' },
      {
        conflicts,
        values,
        cancel: PATH,
        title: `${input.from} already redirects elsewhere`,
        logged: { redirectIn: site.id, path },
      },
    )
  }
  const done = values.undo ? 'restored' : 'saved'
  if (!errors) return redirectDone(c, listOf(values.search), 'redirects', done, { of: input.from })
  // The first error of an address ends the check, but both fields are shown.
  const { problem: from } = readSitePath(input.from, site.domain)
  const { problem: to } = readTarget(input.to, site.domain)
  return newPage(c, values, { ...(from && { from }), ...(to && { to }), ...errors })
})

redirects.post(`${PATH}/removal`, async (c) => {
  const { from = '', search } = await readForm(c)
  const to = await removeRedirect(c.get('ctx'), c.get('site'), from)
  return redirectDone(c, listOf(search), 'redirects', 'removed', { of: from, to })
})

const listOf = (search?: string) => addQuery(PATH, { search: search || null })

/** Undo adds a removed redirect again. An old slug has none: added again, it would no longer follow its post or guide. */
function RedirectDone() {
  const { of: from = '', to, search = '' } = useRequestContext().req.query()
  if (useDone('redirects') !== 'removed' || !to) return <Done of="redirects" isFocused />
  const again = { from, to, search, undo: 'on', [ORIGINAL_VALUES]: serializeOriginal({ to: '' }) }
  return (
    <Done
      of="redirects"
      isFocused
      action={
        <PostButton needs="editor" action={NEW} hidden={Object.entries(again)}>
          Undo
        </PostButton>
      }
    />
  )
}

function newPage(c: Http, values: Values, errors: Errors) {
  const field = fieldsOf(values, errors)
  return formPage(
    c,
    { tab: 'Content', title: 'New redirect' },
    { errors },
    <Form needs="editor" submit="Save redirect" cancel={PATH}>
      <OriginalValues values={{ [ORIGINAL_VALUES]: values[ORIGINAL_VALUES], to: '' }} />
      <TextField
        label="From"
        {...field('from')}
        hint={!errors.from && `A path such as /2019/05/chains, or a URL of ${c.get('site').domain}.`}
        required
      />
      <TextField
        label="To"
        {...field('to')}
        hint={
          !errors.to &&
          'A path, or an http or https URL. Redirects to a post or guide follow its slug changes.'
        }
        required
      />
    </Form>,
  )
}

/** Nothing for a redirect that works. */
function State({ redirect: { served, isToDraft, postAt } }: { redirect: BrowsedRedirect }) {
  if (!served) return <Badge text={isToDraft ? 'Inactive: leads to a draft' : 'Inactive: path in use'} />
  return postAt && <Badge tone="warning" text={`Post is under /${postAt.split('/')[1]}`} />
}

function Target({ redirect: { resource, slug, to } }: { redirect: BrowsedRedirect }) {
  if (resource === null || slug === null) return <code title={to}>{to}</code>
  return (
    <SiteLink class="row-link" to={itemPath(resource === 'post' ? 'posts' : 'guides', slug)} title={to}>
      <code>{to}</code>
    </SiteLink>
  )
}
