import { createMiddleware } from 'hono/factory'
import type { Child } from 'hono/jsx'
import { jsxRenderer } from 'hono/jsx-renderer'
import type { Env } from '../http/env.ts'
import { assetUrls } from './assets.ts'
import { DocsLink } from './parts/docs-link.tsx'
import { PostButton } from './parts/fields/form.tsx'
import { SiteLink } from './parts/site-link.tsx'
import { useRequestContext } from './request-context.ts'
import { SiteSwitcher } from './site-switcher.tsx'

const TABS = [
  { name: 'Overview', path: '/overview' },
  { name: 'API', path: '/api' },
  { name: 'Integrations', path: '/integrations' },
  { name: 'Content', path: '/content' },
  { name: 'Usage', path: '/usage' },
  { name: 'Audit log', path: '/audit-log' },
  { name: 'Settings', path: '/settings' },
] as const

type Tab = (typeof TABS)[number]['name']

const WORKSPACE = [
  { name: 'Overview', path: '/console/overview' },
  { name: 'Sites', path: '/console/sites' },
  { name: 'People', path: '/console/people' },
  { name: 'Audit log', path: '/console/audit-log' },
] as const

type WorkspacePage = (typeof WORKSPACE)[number]['name']

/** A bare page, such as an error, belongs to no tab. `wide` is for one with a form. */
type Page = { title?: string } & (
  | { tab: Tab; workspace?: never; bare?: never }
  | { workspace: WorkspacePage; tab?: never; bare?: never }
  | { title: string; bare: true | 'wide'; tab?: never; workspace?: never }
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

function Document({ tab, workspace, title = tab ?? workspace, bare, assets, children }: DocumentProps) {
  const c = useRequestContext()
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>{tab ? `${title} · ${c.get('site').name}` : title} · Content console</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <link rel="icon" href={ICON} />
        <link rel="stylesheet" href={assets.stylesheet} />
        <script src={assets.script} defer></script>
      </head>
      <body>
        <Header />
        {bare ? (
          <main id="main" class={bare === 'wide' ? 'frame bare wide' : 'frame bare'}>
            {children}
          </main>
        ) : (
          <div class="frame site">
            {tab ? <SiteTabs current={tab} /> : <WorkspaceTabs current={workspace} />}
            <main id="main">{children}</main>
          </div>
        )}
      </body>
    </html>
  )
}

function WorkspaceTabs({ current }: { current: WorkspacePage | undefined }) {
  return (
    <nav class="tabs" aria-label="Workspace">
      <ul>
        {WORKSPACE.map(({ name, path }) => (
          <li>
            <a href={path} aria-current={name === current ? 'page' : undefined}>
              {name}
            </a>
          </li>
        ))}
        <li>
          <DocsLink to="quick-start">Docs</DocsLink>
        </li>
      </ul>
    </nav>
  )
}

function SiteTabs({ current }: { current: Tab }) {
  return (
    <nav class="tabs" aria-label="Site">
      <ul>
        {TABS.map(({ name, path }) => (
          <li>
            <SiteLink to={path} aria-current={name === current ? 'page' : undefined}>
              {name}
            </SiteLink>
          </li>
        ))}
        <li>
          <DocsLink to="quick-start">Docs</DocsLink>
        </li>
      </ul>
    </nav>
  )
}

function Header() {
  const c = useRequestContext()
  // An error page may have neither.
  const { person, site } = c.var as Partial<typeof c.var>
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
                Content console
              </a>
            </li>
            {site && (
              <li>
                <SiteLink to="/overview">
                  <bdi>{site.name}</bdi>
                </SiteLink>
              </li>
            )}
          </ol>
        </nav>
        {person && <SiteSwitcher />}
        <p class="host">{new URL(c.req.url).host}</p>
        {person && (
          <p class="who" dir="auto">
            {person.name}
          </p>
        )}
        {person?.by === 'access' && (
          // A link, because Access redirects to another host, and our CSP forbids forms that leave ours.
          <a class="button quiet" href="/cdn-cgi/access/logout">
            Sign out
          </a>
        )}
        {person?.by === 'token' && (
          <PostButton action="/console/sign-out" class="button quiet">
            Sign out
          </PostButton>
        )}
      </div>
    </header>
  )
}
