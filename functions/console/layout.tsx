/** The frame of every page: header, navigation of a site, and the page itself. */
import { html } from 'hono/html'
import type { Child } from 'hono/jsx'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { Http } from '../http/env.ts'
import { assetUrls } from './assets.ts'

/** The pages of a site, in their order; the path is below the site's. */
const TABS = [
  { name: 'API', path: '/api' },
  { name: 'Integrations', path: '/integrations' },
  { name: 'Content', path: '/content' },
  { name: 'Usage', path: '/usage' },
  { name: 'Settings', path: '/settings' },
] as const

type Tab = (typeof TABS)[number]['name']
type Page = { title: string; status?: ContentfulStatusCode }

const ICON =
  "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'><rect width='16' height='16' rx='4' fill='%233056d3'/><path d='M4 5h8M4 8h8M4 11h5' stroke='%23fff' stroke-width='1.5' stroke-linecap='round'/></svg>"

/** A page of the workspace. */
export function workspacePage(c: Http, { title, status }: Page, content: Child) {
  return answer(
    c,
    { title, status },
    <>
      <Header c={c} />
      <main id="main" class="frame">
        {content}
      </main>
    </>,
  )
}

/** A page of the site in `c`, with its navigation; `tab` is the one the page belongs to. */
export function sitePage(
  c: Http,
  { tab, title = tab, status }: Partial<Page> & { tab: Tab },
  content: Child,
) {
  const site = c.get('site')
  return answer(
    c,
    { title: `${title} · ${site.name}`, status },
    <>
      <Header c={c} />
      <div class="frame site">
        <nav class="tabs" aria-label="Site">
          <ul>
            {TABS.map(({ name, path }) => (
              <li>
                <a href={`/console/sites/${site.id}${path}`} aria-current={name === tab ? 'page' : undefined}>
                  {name}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <main id="main">{content}</main>
      </div>
    </>,
  )
}

/** A page that stands by itself: signing in, errors. */
export function barePage(c: Http, { title, status }: Page, content: Child) {
  return answer(
    c,
    { title, status },
    <>
      <Header c={c} />
      <main id="main" class="frame bare">
        {content}
      </main>
    </>,
  )
}

function Header({ c }: { c: Http }) {
  // Errors have their page also where nobody is signed in yet.
  const { person, site } = c.var as Partial<typeof c.var>
  return (
    <header class="top">
      <a class="visually-hidden skip" href="#main">
        Skip to content
      </a>
      <div class="frame">
        <nav class="crumbs" aria-label="Workspace">
          <ol>
            <li>
              <a class="brand" href="/console/sites">
                Content console
              </a>
            </li>
            {site && (
              <li>
                <a href={`/console/sites/${site.id}/api`}>{site.name}</a>
              </li>
            )}
          </ol>
        </nav>
        <p class="host">{new URL(c.req.url).host}</p>
        {person?.email && <p class="who">{person.email}</p>}
        {person?.by === 'access' && (
          // Access leads to another host, where a form of ours may not go.
          <a class="button quiet" href="/cdn-cgi/access/logout">
            Sign out
          </a>
        )}
        {person?.by === 'token' && (
          <form method="post" action="/console/sign-out">
            <button type="submit" class="button quiet">
              Sign out
            </button>
          </form>
        )}
      </div>
    </header>
  )
}

async function answer(
  c: Http,
  { title, status = 200 }: { title: string; status: Page['status'] },
  body: Child,
) {
  const { stylesheet, script } = await assetUrls()
  const page = (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>{title} · Content console</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <link rel="icon" href={ICON} />
        <link rel="stylesheet" href={stylesheet} />
        <script src={script} defer></script>
      </head>
      <body>{body}</body>
    </html>
  )
  return c.html(html`<!doctype html>${page}`, status)
}
