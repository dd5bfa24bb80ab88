/** The operator's change feed, from a cursor to the moment in which it is read to its end. */
import type { Api } from './api.ts'
import type { Schemas } from './routes.ts'

/** An upsert has `post` or `guide`, the body that puts it, unless it was deleted meanwhile. */
export type Change = Schemas['StoredChange']

type Page = Schemas['StoredChangeList']

const PAGE_SIZE = 500

/** The next page is asked for while the caller handles a page. @throws Failure with status 410 when the cursor has expired */
export async function* changePages(api: Api, site: string, start: string | null): AsyncGenerator<Page> {
  const ask = (cursor: string | null): Promise<Page> => {
    const query = { limit: PAGE_SIZE, cursor }
    const asked = api('GET /sites/{siteId}/changes', [site], { query })
    // Awaited later; until then a rejection must not count as unhandled.
    asked.catch(() => {})
    return asked
  }
  let next: Promise<Page> | null = ask(start)
  while (next) {
    const page: Page = await next
    next = page.hasMore ? ask(page.cursor) : null
    yield page
  }
}
