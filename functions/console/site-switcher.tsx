/** The menu of sites in the header. It needs no query. */
import { HiddenFields } from './parts/fields/form.tsx'
import { RequireRole } from './parts/require-role.tsx'
import { recentSites } from './recent-sites.ts'
import { Groups } from './search/groups.tsx'
import { toSite } from './search/search.tsx'
import { useRequestContext } from './site.ts'

/** The script lists sites in it, focuses the search, and closes the menu on Escape or a click outside. */
export function SiteSwitcher() {
  const c = useRequestContext()
  const { site } = c.var as Partial<typeof c.var>
  const others = recentSites(c).filter(({ id }) => id !== site?.id)
  return (
    <details class="menu switcher">
      <summary class="button quiet">
        <span class="visually-hidden">{site ? 'Other sites' : 'Sites'}</span>
      </summary>
      <div class="menu-panel">
        <search>
          <form method="get" action="/console/search" data-find>
            <HiddenFields
              form={[['only', 'sites'], ...(site ? [['site', site.id] as [string, string]] : [])]}
            />
            <label class="visually-hidden" for="site-search">
              Find a site
            </label>
            <input
              id="site-search"
              name="q"
              type="search"
              placeholder="Name or domain"
              autocomplete="off"
              spellcheck={false}
            />
            <div data-results class="plain">
              <Groups
                groups={[{ title: 'Recent sites', found: others.map((each) => toSite(each, '')) }]}
                q=""
              />
            </div>
          </form>
        </search>
        <p class="ends switcher-all">
          <a href="/console/sites">All sites</a>
          <RequireRole needs="admin">
            <a href="/console/sites/new">New site</a>
          </RequireRole>
        </p>
      </div>
    </details>
  )
}
