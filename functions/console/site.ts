/** The current request and site, and the paths of its pages. */
import { createMiddleware } from 'hono/factory'
import { useRequestContext as useContext } from 'hono/jsx-renderer'
import { getSiteRow } from '../../src/sites/sites.ts'
import type { Env, Http } from '../http/env.ts'
import { siteIdOf } from '../http/request.ts'
import { withParentList } from './parent-list.ts'
import { noteRecentSite } from './recent-sites.ts'

export const DELETION = '/settings/deletion'

/** Loads the site. One that is being deleted has only its deletion page. @throws AppError site_not_found, also for a malformed id */
export const loadSite = createMiddleware<Env>(async function loadSite(c, next) {
  c.set('site', await getSiteRow(c.get('ctx'), siteIdOf(c)))
  if (c.get('site').deletionStartedAt && c.req.path !== sitePath(c, DELETION)) {
    return redirectInSite(c, DELETION)
  }
  if (!c.get('site').deletionStartedAt) noteRecentSite(c, c.get('site'))
  return next()
})

/** `page` is a page of the site, such as `/api`. */
export function redirectInSite(c: Http, page: string): Response {
  return c.redirect(sitePath(c, page), 303)
}

/** For components: the current request. */
export const useRequestContext = () => useContext<Env>()

/** For components: `sitePath` of the current request. */
export function useSitePath(): (page: string) => string {
  const c = useRequestContext()
  return (page) => sitePath(c, page)
}

/** The full path of a page of the site. Full paths stay the same. An item keeps the list that it was opened from. */
export function sitePath(c: Http, page: string): string {
  if (page.startsWith('/console')) return page
  return `/console/sites/${c.get('site').id}${withParentList(c, page)}`
}
