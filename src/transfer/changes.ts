import type { Api } from './api.ts'
import type { Schemas } from './routes.ts'

/** An upsert has the article's body in `post` or `guide`, unless the article was deleted in the meantime. */
export type StoredChange = Schemas['StoredChange']

type Page = Schemas['StoredChangeList']

const PAGE_SIZE = 500

/** Fetches the next page while the caller handles this one. @throws Failure with status 410 when the cursor has expired */
export async function* changePages(
  api: Api,
  site: string,
  start: string | null,
  limit = PAGE_SIZE,
): AsyncGenerator<Page> {
  const ask = (cursor: string | null): Promise<Page> => {
    const query = { limit, cursor }
    const page = api('GET /sites/{siteId}/changes', [site], { query })
    // Awaited later: without a handler, a rejection would count as unhandled.
    page.catch(() => {})
    return page
  }
  let next: Promise<Page> | null = ask(start)
  while (next) {
    const page: Page = await next
    next = page.hasMore ? ask(page.cursor) : null
    yield page
  }
}
