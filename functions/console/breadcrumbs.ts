/** The pages above the current one, by its path. */

import { tryDecodeURIComponent } from 'hono/utils/url'
import type { Http } from '../http/env.ts'
import { TABS } from './menu.ts'
import { PARENT_LISTS, parentList } from './parent-list.ts'
import { sitePath } from './site.ts'

/**
 * Pages with such a path have the link. Without a page it leads to the part of the path that matches, and without a name it has the slug
 * of the article.
 */
const LINKS: [path: RegExp, name?: string, page?: string][] = [
  [/^\/content\/(posts\/|new\/posts|selection(?!\/guides))/, 'Posts', PARENT_LISTS.posts.list],
  [/^\/content\/(guides\/|new\/guides|selection\/guides)/, 'Guides', PARENT_LISTS.guides.list],
  [/^\/content\/training(-rows)?\//, 'Training rows', PARENT_LISTS.training.list],
  [/^\/content\/(?:posts|guides)\/([^/]+)(?=\/)/],
  [/^\/content\/redirects(?=\/)/, 'Redirects'],
  [/^\/keys\//, 'API', '/api'],
  [/^\/integrations(?=\/(webhook|resends|deliveries\/))/, 'Integrations'],
  [/^\/integrations\/(deliveries|resends)\//, 'Deliveries', PARENT_LISTS.deliveries.list],
  [/^\/integrations\/webhooks\/[^/]+(?=\/)/, 'Webhook'],
  [/^\/imports\//, 'Import and export', TABS.Settings['Import and export']],
  [/^\/settings(?=\/deletion)/, 'Settings'],
  [/^\/settings\/sitemap(?=\/)/, 'Sitemap'],
  [/^(\/console)?\/audit-log(?=\/)/, 'Audit log'],
  [/^\/console\/sites(?=\/)/, 'Sites'],
  [/^\/console\/people(?=\/)/, 'People'],
  [/^\/console\/people\/[^/]+(?=\/)/, 'Person'],
]

/** The pages below the current site, or below the workspace, from the outermost to the innermost. */
export function breadcrumbs(c: Http): { name: string; path: string }[] {
  const { pathname, searchParams } = new URL(c.req.url)
  const { site } = c.var as Partial<typeof c.var>
  const page = site ? pathname.slice(`/console/sites/${site.id}`.length) : pathname
  return LINKS.flatMap(([pattern, name, list]) => {
    // A page is above the answers to its forms, and the log above its entries, which have a query instead of a path.
    const isBelow = c.req.method === 'POST' || searchParams.has('changesetId')
    const [start, slug = ''] = pattern.exec(isBelow ? `${page}/` : page) ?? []
    if (start === undefined) return []
    const path = list ? parentList(c, list) : start
    const shown = name === 'Person' ? c.get('personName') || name : (name ?? tryDecodeURIComponent(slug))
    return [{ name: shown, path: site ? sitePath(c, path) : path }]
  })
}
