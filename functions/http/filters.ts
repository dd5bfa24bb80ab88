import type * as z from 'zod/mini'
import {
  type ArticleKind,
  FILTER_VALUES,
  type FilterName,
  type FiltersOf,
  type FrontEnd,
  LISTS,
} from '../../src/content/model/article-filters.ts'
import { dayParam, flagParam, instantParam, oneOfParam, prefixParam, wordsParam } from './query.ts'

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
