/** A list of posts or guides: its page, its filters and its body. */
import type * as z from 'zod/mini'
import type { ArticlePage } from '../../src/content/articles/read.ts'
import {
  type ArticleKind,
  FILTER_VALUES,
  type FilterName,
  type FiltersOf,
  type FrontEnd,
  LISTS,
} from '../../src/content/model/article-filters.ts'
import {
  dayParam,
  flagParam,
  instantParam,
  integerParam,
  oneOfParam,
  prefixParam,
  wordsParam,
} from './query.ts'

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

type PageParams = { page?: number | undefined; pageSize?: number | undefined }

export const pageInput = ({ page = 1, pageSize = 12 }: PageParams) => ({ page, pageSize })

/** All other filters default to null. */
const FALLBACKS = { status: 'all' } as const

const PARAMS = {
  search: wordsParam('Text that the title must contain, ignoring case and diacritics'),
  status: oneOfParam(FILTER_VALUES.status, {
    fallback: FALLBACKS.status,
    description: 'Only this status. `all` returns both',
  }),
  ready: flagParam('If `true`, only drafts that are currently marked ready', { 'x-addition': true }),
  band: oneOfParam(FILTER_VALUES.band, { description: 'Quality' }),
  language: prefixParam("Case-insensitive prefix of the post's language"),
  publishedFrom: dayParam('00:00:00', 'Published from'),
  publishedTo: dayParam('23:59:59.999', 'Published to'),
  updatedAfter: instantParam('Only items updated strictly after this time, oldest update first'),
  updatedBefore: instantParam('Updated before'),
} satisfies Record<FilterName, z.ZodMiniType>

type Params = typeof PARAMS
type Fallback<Name extends FilterName> = Name extends keyof typeof FALLBACKS ? (typeof FALLBACKS)[Name] : null
type Given<Names extends FilterName> = { [Name in Names]?: z.output<Params[Name]> }

export function filterParams<Front extends FrontEnd, Kind extends ArticleKind>(front: Front, kind: Kind) {
  const names: readonly FilterName[] = LISTS[front][kind]
  const params = Object.fromEntries(names.map((name) => [name, PARAMS[name]]))
  return params as Pick<Params, FiltersOf<Front, Kind>>
}

export function filtersIn<Front extends FrontEnd, Kind extends ArticleKind>(
  front: Front,
  kind: Kind,
  query: Given<FiltersOf<Front, Kind>>,
) {
  const names: readonly FilterName[] = LISTS[front][kind]
  const given: Given<FilterName> = query
  const fallbacks: Partial<Record<FilterName, string>> = FALLBACKS
  const filters = names.map((name) => [name, given[name] ?? fallbacks[name] ?? null])
  return Object.fromEntries(filters) as {
    [Name in FiltersOf<Front, Kind>]: NonNullable<z.output<Params[Name]>> | Fallback<Name>
  }
}

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
