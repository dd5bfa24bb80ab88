import { createMiddleware } from 'hono/factory'
import type { Child } from 'hono/jsx'
import { jsxRenderer } from 'hono/jsx-renderer'
import type { SiteRow } from '../../src/sites/sites.ts'
import type { Env, Person } from '../http/env.ts'
import { CLAIMS, SIGNATURE } from './actions/signed-notices.ts'
import { assetUrls } from './assets.ts'
import { breadcrumbs } from './breadcrumbs.ts'
import { type MenuPage, SITE_PAGES, WORKSPACE_PAGES } from './menu.ts'
import { Avatar } from './parts/avatar.tsx'
import { HiddenFields, PostButton } from './parts/fields/form.tsx'
import { Icon } from './parts/icon.tsx'
import { oneLine } from './parts/one-line.ts'
import { useAllowed } from './parts/require-role.tsx'
import { DocsLink, SiteLink } from './parts/site-link.tsx'
import { ROLE_NAMES } from './people/person.ts'
import { FirstResults } from './search/search.tsx'
import { useRequestContext } from './site.ts'
import { SiteSwitcher } from './site-switcher.tsx'

type Tab = (typeof SITE_PAGES)[number]['name']

/** The search is in no menu. */
type WorkspacePage = (typeof WORKSPACE_PAGES)[number]['name'] | 'Search'

/** A bare page has no menu. `wide` is for one with a form. An error belongs to no tab, but keeps the menu. */
type Page = {
  title?: string
  /** Without JavaScript the browser reloads the page after a while. */
  isRunning?: boolean
  /** For a form, a search, a question or a secret. */
  isNarrow?: boolean
} & (
  | { tab: Tab; workspace?: never; bare?: never }
  | { workspace: WorkspacePage; tab?: never; bare?: never }
  | { title: string; bare: boolean | 'wide'; tab?: never; workspace?: never }
)

declare module 'hono' {
  interface ContextRenderer {
    // biome-ignore lint/style/useShorthandFunctionType: this extends Hono's interface, which a type cannot do
    (content: Child, page: Page): Response | Promise<Response>
  }
}

const ICON =
  "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'><rect width='16' height='16' rx='4' fill='%233056d3'/><path d='M4 5h8M4 8h8M4 11h5' stroke='%23fff' stroke-width='1.5' stroke-linecap='round'/></svg>"

export const layout = createMiddleware<Env>(async function layout(c, next) {
  const assets = await assetUrls(c)
  const render = jsxRenderer((page) => <Document {...page} assets={assets} />, { docType: '<!doctype html>' })
  return render(c, next)
})

type DocumentProps = Page & { assets: Awaited<ReturnType<typeof assetUrls>>; children?: Child }

function Document({
  tab,
  workspace,
  title = tab ?? workspace,
  bare,
  isRunning,
  isNarrow,
  assets,
  children,
}: DocumentProps) {
  const c = useRequestContext()
  // An error page may have neither.
  const { person, site } = c.var as Partial<typeof c.var>
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>{oneLine(site ? `${title} · ${site.name}` : (title ?? ''))} · Content console</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        {isRunning && (
          <noscript>
            <meta http-equiv="refresh" content="5" />
          </noscript>
        )}
        <link rel="icon" href={ICON} />
        {[assets.theme, assets.stylesheet, assets.article].map((href) => (
          <link rel="stylesheet" href={href} />
        ))}
        <script src={assets.script} defer></script>
        <script src={assets.search} defer></script>
      </head>
      <body
        data-notices={c.req.query(SIGNATURE) && [...CLAIMS, SIGNATURE].join(' ')}
        data-person={c.get('ctx')?.actor?.id}
      >
        {person && <Header {...{ person, site, title }} />}
        {bare ? (
          <main id="main" class={bare === 'wide' ? 'frame bare wide' : 'frame bare'}>
            {!person && <img src={ICON} alt="Content console" width="40" height="40" />}
            {children}
          </main>
        ) : (
          <div class="frame site">
            <Menu isOfSite={site !== undefined} current={tab ?? workspace} />
            <main id="main" class={isNarrow ? 'narrow' : undefined}>
              {children}
            </main>
          </div>
        )}
      </body>
    </html>
  )
}

function Menu({ isOfSite, current }: { isOfSite: boolean; current: Tab | WorkspacePage | undefined }) {
  const pages: readonly MenuPage[] = isOfSite ? SITE_PAGES : WORKSPACE_PAGES
  return (
    <nav class="tabs" aria-label={isOfSite ? 'Site' : 'Workspace'}>
      <ul>
        {pages
          .filter(({ needs = 'viewer' }) => useAllowed(needs))
          .map(({ name, path, icon }) => (
            <li>
              <SiteLink to={path} aria-current={name === current ? 'page' : undefined}>
                <Icon name={icon} />
                {name}
              </SiteLink>
            </li>
          ))}
        <li>
          <DocsLink to="quick-start">
            <Icon name="docs" />
            Docs
          </DocsLink>
        </li>
      </ul>
    </nav>
  )
}

/** The script opens the dialog instead. */
function SearchLink({ siteId }: { siteId: string | undefined }) {
  const { req } = useRequestContext()
  const slug = req.param('slug')
  const [, kind] = /\/content\/(posts|guides)\//.exec(req.path) ?? []
  const view: [string, string][] = siteId ? [['site', siteId]] : []
  if (siteId && kind && slug) view.push(['kind', kind], ['slug', slug])
  const list = req.query('list')
  if (list) view.push(['list', list])
  return (
    <>
      <a
        class="button search-link"
        href={`/console/search${view.length > 0 ? `?${new URLSearchParams(view)}` : ''}`}
        data-search
      >
        <Icon name="search" />
        <span>Search</span>
      </a>
      <dialog class="search-dialog" id="search-dialog" aria-label="Search">
        <form action="/console/search" data-find>
          {/* Enter presses the first button, which must not be a command. */}
          <button type="submit" hidden />
          <HiddenFields form={view} />
          <input
            name="q"
            type="search"
            aria-label="Search sites, posts, people, pages and commands"
            placeholder="Search, or type a command"
            autocomplete="off"
            spellcheck={false}
          />
          <p class="visually-hidden" role="status" />
          <div data-results class="plain">
            <FirstResults />
          </div>
        </form>
      </dialog>
    </>
  )
}

type HeaderProps = { person: Person; site: SiteRow | undefined; title: string | undefined }

function Header({ person, site, title }: HeaderProps) {
  // The answer to a form may be the list above it.
  const above = breadcrumbs(useRequestContext()).filter(({ name }) => name !== title)
  return (
    <header class="top">
      <a class="visually-hidden skip" href="#main">
        Skip to content
      </a>
      <div class="frame">
        <nav class="crumbs" aria-label="You are here">
          <ol>
            <li>
              <a class="brand" href="/console/overview">
                <img src={ICON} alt="" width="20" height="20" />
                <bdi>Content console</bdi>
              </a>
              {!site && <SiteSwitcher />}
            </li>
            {site && (
              <li>
                <SiteLink to="/overview">
                  <Avatar name={site.name} isSite />
                  <bdi>{site.name}</bdi>
                </SiteLink>
                <SiteSwitcher />
              </li>
            )}
            {above.map(({ name, path }) => (
              <li>
                <a class="hint" href={path}>
                  {name}
                </a>
              </li>
            ))}
          </ol>
        </nav>
        <SearchLink siteId={site?.id} />
        <Account person={person} />
      </div>
    </header>
  )
}

function Account({ person: { id, name, role, by } }: { person: Person }) {
  const { host } = new URL(useRequestContext().req.url)
  return (
    <details class="menu account">
      <summary>
        <span class="visually-hidden">Account</span>
        <Avatar name={name ?? ''} />
      </summary>
      <div class="menu-panel items">
        <p>
          <bdi>{name}</bdi>
          <span class="below">{`${ROLE_NAMES[role]} at ${host}`}</span>
        </p>
        {id && <a href={`/console/people/${id}`}>Your access</a>}
        {by === 'access' ? (
          // A link, because Access redirects to another host, and our CSP forbids forms that leave ours.
          <a href="/cdn-cgi/access/logout">Sign out</a>
        ) : (
          <PostButton class="" action="/console/sign-out">
            Sign out
          </PostButton>
        )}
      </div>
    </details>
  )
}
