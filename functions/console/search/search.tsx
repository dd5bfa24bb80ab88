/** Search over sites, articles, people, pages and actions. The script shows the results in a dialog, too. */
import type { Child } from 'hono/jsx'
import { isAllowed, isReachable } from '../../../src/core/actor.ts'
import { orNull } from '../../../src/core/errors.ts'
import { foldCase, wordsOf } from '../../../src/core/fold.ts'
import { UUID } from '../../../src/core/ids.ts'
import { searchWorkspace } from '../../../src/sites/search.ts'
import { getSiteRow } from '../../../src/sites/sites.ts'
import { createApp } from '../../http/create-app.ts'
import type { Http } from '../../http/env.ts'
import { type MenuPage, SITE_PAGES, WORKSPACE_PAGES } from '../menu.ts'
import { Avatar } from '../parts/avatar.tsx'
import { EmptyState } from '../parts/empty-state.tsx'
import { TextField } from '../parts/fields/field.tsx'
import { PageHeading } from '../parts/heading.tsx'
import { Icon } from '../parts/icon.tsx'
import { readSearch } from './search-text.ts'

/** Listed by the search besides the pages of the menus. */
const WORKSPACE_ACTIONS: MenuPage[] = [
  { name: 'New site', path: '/console/sites/new', icon: 'sites', needs: 'admin' },
  { name: 'Add a person', path: '/console/people/new', icon: 'people', needs: 'admin' },
]
const SITE_ACTIONS: MenuPage[] = [
  { name: 'New post', path: '/content/new/posts', icon: 'content', needs: 'editor' },
  { name: 'New guide', path: '/content/new/guides', icon: 'content', needs: 'editor' },
  { name: 'Guides', path: '/content/guides', icon: 'content' },
  { name: 'Redirects', path: '/content/redirects', icon: 'content' },
  { name: 'Training rows', path: '/content/training', icon: 'content' },
  { name: 'Deliveries', path: '/integrations/deliveries', icon: 'integrations' },
  { name: 'Check a signature', path: '/integrations/signature-check', icon: 'integrations' },
  { name: 'New key', path: '/keys/new', icon: 'api', needs: 'admin' },
]

type Found = { href: string; text: string; hint?: string | undefined; mark: Child }

export const search = createApp()

search.get('/', async (c) => {
  const q = readSearch(c, 'q')
  const groups = q === '' ? [] : await find(c, q, c.req.query('only') === 'sites')
  const shown = groups.filter(({ found }) => found.length > 0)
  return c.render(
    <>
      <PageHeading title="Search" />
      <search>
        <form method="get" action="/console/search" class="find">
          {c.req.query('site') && <input type="hidden" name="site" value={c.req.query('site')} />}
          <TextField
            label="Search"
            type="search"
            name="q"
            value={q}
            placeholder="Sites, posts, people, pages"
          />
          <button type="submit" class="button primary">
            Search
          </button>
        </form>
      </search>
      <div data-results class="plain">
        {shown.map(({ title, found }) => (
          <section>
            <h2>{title}</h2>
            <ul class="found">
              {found.map(({ href, text, hint, mark }) => (
                <li>
                  <a href={href}>
                    {mark}
                    <bdi>{text}</bdi>
                    {hint && <span class="muted"> {hint}</span>}
                  </a>
                </li>
              ))}
            </ul>
          </section>
        ))}
        {q !== '' && shown.length === 0 && (
          <EmptyState title="Nothing found">
            <p>No site, post, person or page matches “{q}”.</p>
          </EmptyState>
        )}
      </div>
    </>,
    { workspace: 'Search' },
  )
})

async function find(c: Http, q: string, onlySites: boolean): Promise<{ title: string; found: Found[] }[]> {
  const ctx = c.get('ctx')
  const id = c.req.query('site')
  const canReach = id !== undefined && UUID.test(id) && isReachable(c.get('person'), id)
  const site = canReach ? await orNull(getSiteRow(ctx, id), 'site_not_found') : null
  const { sites, articles, people } = await searchWorkspace(ctx, q, site)
  const foundSites = {
    title: 'Sites',
    found: sites.map(({ id, name, domain }) => ({
      href: `/console/sites/${id}/overview`,
      text: name,
      hint: domain,
      mark: <Avatar name={name} isSite />,
    })),
  }
  if (onlySites) return [foundSites]
  return [
    { title: 'Pages and actions', found: findPages(c, q, site) },
    foundSites,
    {
      title: 'Posts and guides',
      found: [
        ...articles.map(({ kind, slug, title, site }) => ({
          href: `/console/sites/${site.id}/content/${kind}/${encodeURIComponent(slug)}`,
          text: title,
          hint: site.name,
          mark: <Icon name="content" />,
        })),
        ...(site && articles.length > 0 ? [allPosts(site, q)] : []),
      ],
    },
    {
      title: 'People',
      found: people.map(({ id, name }) => ({
        href: `/console/people/${id}`,
        text: name,
        mark: <Avatar name={name} />,
      })),
    },
  ]
}

const allPosts = (site: { id: string; name: string }, q: string): Found => ({
  href: `/console/sites/${site.id}/content?${new URLSearchParams({ search: q })}`,
  text: `All posts that match “${q}”`,
  hint: site.name,
  mark: <Icon name="search" />,
})

function findPages(c: Http, q: string, site: { id: string; name: string } | null): Found[] {
  const isShown = ({ name, needs = 'viewer' }: MenuPage) =>
    isAllowed(c.get('person'), needs) && matches(name, q)
  const ofSite: MenuPage[] = site ? [...SITE_PAGES, ...SITE_ACTIONS] : []
  return [
    ...ofSite.filter(isShown).map(({ name, path, icon }) => ({
      href: `/console/sites/${site!.id}${path}`,
      text: name,
      hint: site!.name,
      mark: <Icon name={icon} />,
    })),
    ...[...WORKSPACE_PAGES, ...WORKSPACE_ACTIONS].filter(isShown).map(({ name, path, icon }) => ({
      href: path,
      text: name,
      hint: 'Workspace',
      mark: <Icon name={icon} />,
    })),
  ]
}

/** Each word of the search, in any order. */
function matches(name: string, q: string): boolean {
  const words = wordsOf(foldCase(q))
  return words.length > 0 && words.every((word) => foldCase(name).includes(word))
}
