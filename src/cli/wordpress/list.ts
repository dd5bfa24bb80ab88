/** Reads a list of the REST API page by page, and checks WordPress's page count. */

import type { ArticleKind } from '../../content/model/article-filters.ts'
import { Failure } from '../../transfer/failure.ts'
import type { Rest } from './rest.ts'
import { type RestPost, shapedPost } from './rest-shape.ts'

const PAGE_SIZE = 100
/** Tried in turn when WordPress refuses a page size, or fails at it. */
const SMALLER_PAGES = [50, 20, 10, 5, 1]
const MAX_PAGES = 10_000
/** Consecutive. For a signed-in user, pages omit posts that the user may not edit, and may be empty. */
const MAX_EMPTY_PAGES = 20
const ROUTES: Record<ArticleKind, string> = { posts: 'wp/v2/posts', guides: 'wp/v2/pages' }

export type ListOptions = { pageSize?: number }

/** Ordered by id, so that concurrent writes don't shift pages. `cutShort` gets the reason of an early end. */
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
  let size = pageSize
  /** Highest id so far: a smaller page may overlap with the one before. */
  let last = 0
  for (let page = 1; ; page++) {
    const answer = await getPage(rest, route, size, page, query)
    if (answer === null) return
    if (answer instanceof Failure) {
      const smaller = SMALLER_PAGES.find((each) => each < size)
      if (smaller === undefined) throw answer
      // The next step of the loop leads to the page with the next post.
      page = Math.floor(((page - 1) * size) / smaller)
      size = smaller
      continue
    }
    const { body, headers } = answer
    if (!Array.isArray(body)) throw new Failure(`${route} is not a list of posts`)
    const pageCountHeader = headers.get('x-wp-totalpages')
    // Without the header, which a proxy may remove, read until a page is empty.
    const pages =
      pageCountHeader === null
        ? body.length === 0
          ? page
          : Number.POSITIVE_INFINITY
        : Number(pageCountHeader)
    if (Number.isNaN(pages)) throw new Failure(`${route} has no page count (X-WP-TotalPages)`)
    const posts = body.flatMap((each) => shapedPost(each) ?? [])
    empty = posts.length === 0 ? empty + 1 : 0
    const problem = problemOf(posts, previous, page, empty)
    // An empty page itself loses nothing, so only later pages count.
    if (problem && (posts.length > 0 ? page <= pages : page < pages)) {
      const promised = pageCountHeader === null ? '' : `, of ${pages.toLocaleString('en')} announced pages`
      return cutShort(route, `${problem}${promised}: reading stops here`)
    }
    const fresh = posts.filter(({ id }) => id > last)
    last = fresh.reduce((highest, { id }) => Math.max(highest, id), last)
    if (fresh.length > 0) yield fresh
    if (page >= pages) return
    if (page === MAX_PAGES)
      return cutShort(route, `reading stops after page ${MAX_PAGES.toLocaleString('en')}`)
    if (posts.length > 0) previous = new Set(posts.map(({ id }) => id))
  }
}

/** Returns the failure if a smaller page may succeed; null after the last page. */
async function getPage(rest: Rest, route: string, size: number, page: number, query: Record<string, string>) {
  try {
    return await rest.get(route, {
      per_page: String(size),
      page: String(page),
      orderby: 'id',
      order: 'asc',
      ...(rest.isSignedIn && { status: 'any', context: 'edit' }),
      ...query,
    })
  } catch (error) {
    if (isTooMuch(error)) return error
    if (page > 1 && error instanceof Failure && /\(rest_post_invalid_page_number\)/.test(error.message))
      return null
    throw error
  }
}

/** True if WordPress refused the page size, or failed at it. */
export function isTooMuch(error: unknown): error is Failure {
  if (!(error instanceof Failure)) return false
  const isRefused = error.status === 400 && /\(rest_invalid_param\)/.test(error.message)
  return isRefused || (error.status ?? 0) >= 500
}

function problemOf(posts: RestPost[], previous: Set<number>, page: number, empty: number): string | null {
  if (empty === MAX_EMPTY_PAGES) return `pages ${page - empty + 1} to ${page} are empty`
  const isRepeated = posts.length > 0 && posts.every(({ id }) => previous.has(id))
  return isRepeated ? `page ${page} repeats the one before` : null
}
