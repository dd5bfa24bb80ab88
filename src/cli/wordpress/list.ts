/** A list of the REST API, page after page, however many WordPress says that there are. */

import type { ArticleKind } from '../../foundation/article-filters.ts'
import { Failure } from '../../transfer/failure.ts'
import type { Rest } from './rest.ts'
import type { RestPost } from './rest-post.ts'

const PAGE_SIZE = 100
const MAX_PAGES = 10_000
/** In a row. Signed in, a page lacks the posts that the user may not edit, and may be empty for it. */
const MAX_EMPTY_PAGES = 20
const ROUTES: Record<ArticleKind, string> = { posts: 'wp/v2/posts', guides: 'wp/v2/pages' }

export type ListOptions = { pageSize?: number }

/**
 * Posts or pages, a page of the list at a time, by id, so that what is written meanwhile moves nothing from one page to the next. `cutShort` is told the
 * reason when the list ends before its last page.
 */
export async function* list(
  rest: Rest,
  kind: ArticleKind,
  query: Record<string, string>,
  { pageSize = PAGE_SIZE }: ListOptions,
  cutShort: (route: string, reason: string) => void = () => {},
): AsyncGenerator<RestPost[]> {
  const route = ROUTES[kind]
  let previous = new Set<number>()
  let empty = 0
  for (let page = 1; ; page++) {
    const { body, headers } = await rest.get(route, {
      per_page: String(pageSize),
      page: String(page),
      orderby: 'id',
      order: 'asc',
      ...(rest.isSignedIn && { status: 'any', context: 'edit' }),
      ...query,
    })
    if (!Array.isArray(body)) throw new Failure(`${route} is not a list of posts`)
    const pages = Number(headers.get('x-wp-totalpages') ?? Number.NaN)
    if (!Number.isInteger(pages))
      throw new Failure(`${route} does not say how many pages it has (X-WP-TotalPages)`)
    const posts = body as RestPost[]
    empty = posts.length === 0 ? empty + 1 : 0
    const problem = problemOf(posts, previous, page, empty)
    // After empty pages, what is lost is what comes.
    if (problem && (posts.length > 0 ? page <= pages : page < pages)) {
      const promised = `${pages.toLocaleString('en')} pages`
      return cutShort(route, `${problem}, of ${promised} that are promised: it is read no further`)
    }
    yield posts
    if (page >= pages) return
    if (page === MAX_PAGES)
      return cutShort(route, `it is read no further than page ${MAX_PAGES.toLocaleString('en')}`)
    if (posts.length > 0) previous = new Set(posts.map(({ id }) => id))
  }
}

/** Why the next page would have no new posts either. */
function problemOf(posts: RestPost[], previous: Set<number>, page: number, empty: number): string | null {
  if (empty === MAX_EMPTY_PAGES) return `pages ${page - empty + 1} to ${page} are empty`
  const isRepeated = posts.length > 0 && posts.every(({ id }) => previous.has(id))
  return isRepeated ? `page ${page} repeats the one before` : null
}
