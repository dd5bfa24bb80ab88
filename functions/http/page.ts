import type { ArticlePage } from '../../src/content/articles/read.ts'
import { integerParam } from './query.ts'

/** Some proxies reject response headers over 4 KiB. */
const MAX_LINK_LENGTH = 3_000

export const pageParams = {
  page: integerParam({
    minimum: 1,
    fallback: 1,
    description:
      'The page, starting at 1. Pages shift while others write or delete, so do not use them to sync',
  }),
  pageSize: integerParam({ minimum: 1, maximum: 50, fallback: 12, description: 'Items per page' }),
}

type Params = { page?: number | undefined; pageSize?: number | undefined }

export const pageInput = ({ page = 1, pageSize = 12 }: Params) => ({ page, pageSize })

export function pageBody(found: ArticlePage, { page, pageSize }: { page: number; pageSize: number }) {
  const { items, following, total, totalPages } = found
  const start = `{"items":[${items.join()}`
  const end = `],${JSON.stringify({ page, pageSize, total, totalPages }).slice(1)}`
  // A page too large for one database response is streamed while the rest loads.
  const body = following ? streamed(start, following, items.length > 0, end) : start + end
  return { body, totalPages }
}

async function* streamed(
  start: string,
  following: AsyncIterable<string>,
  hasItems: boolean,
  end: string,
): AsyncGenerator<string> {
  yield start
  let separator = hasItems ? ',' : ''
  for await (const item of following) {
    yield separator + item
    separator = ','
  }
  yield end
}

/** RFC 8288. Undefined if the query makes it too long. */
export function pageLinks(requested: string, totalPages: number): string | undefined {
  const { origin, pathname, searchParams: params } = new URL(requested)
  const page = Number(params.get('page') ?? 1)
  params.delete('page')
  const others = params.size > 0 ? `${params}&` : ''
  const last = Math.max(1, totalPages)
  const pages = { first: 1, prev: page > 1 && Math.min(page - 1, last), next: page < last && page + 1, last }
  const links = Object.entries(pages).flatMap(([rel, to]) =>
    to ? `<${origin}${pathname}?${others}page=${to}>; rel="${rel}"` : [],
  )
  const link = links.join(', ')
  return link.length > MAX_LINK_LENGTH ? undefined : link
}
