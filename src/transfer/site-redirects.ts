import type { Api } from './api.ts'
import { itemsOf } from './pages.ts'
import type { Schemas } from './routes.ts'

const PAGE_SIZE = 500

export async function* redirectsOf(api: Api, site: string): AsyncGenerator<Schemas['RedirectInput']> {
  const pages = itemsOf((query) => api('GET /sites/{siteId}/redirects', [site], { query }), PAGE_SIZE)
  for await (const { from, to, resource, slug } of pages)
    yield resource === null || slug === null ? { from, to } : { from, resource, slug, ...suffixOf(to) }
}

/** Query and fragment after an article's path. */
export function suffixOf(to: string): { suffix?: string } {
  const at = to.search(/[?#]/)
  return at < 0 ? {} : { suffix: to.slice(at) }
}
