/** The filters of lists as query parameters. */
import type * as z from 'zod/mini'
import {
  type ArticleKind,
  FILTERS,
  type Filter,
  type FilterName,
  type FiltersOf,
  type FrontEnd,
  LISTS,
} from '../../src/foundation/article-filters.ts'
import { dayParam, flagParam, instantParam, oneOfParam, prefixParam, wordsParam } from './query.ts'

const { search, status, ready, band, language, publishedFrom, publishedTo, updatedAfter, updatedBefore } =
  FILTERS

const PARAMS = {
  search: wordsParam(search.description),
  status: oneOfParam(status.values, { fallback: status.fallback, description: status.description }),
  ready: flagParam(ready.description, { 'x-addition': true }),
  band: oneOfParam(band.values, { description: band.label }),
  language: prefixParam(language.description),
  publishedFrom: dayParam('00:00:00', publishedFrom.label),
  publishedTo: dayParam('23:59:59.999', publishedTo.label),
  updatedAfter: instantParam(updatedAfter.description),
  updatedBefore: instantParam(updatedBefore.label),
} satisfies Record<FilterName, z.ZodMiniType>

type Params = typeof PARAMS
type Fallback<Name extends FilterName> = (typeof FILTERS)[Name] extends { fallback: infer Value }
  ? Value
  : null
type Given<Names extends FilterName> = { [Name in Names]?: z.output<Params[Name]> }

/** The parameters that a list has. */
export function filterParams<Front extends FrontEnd, Kind extends ArticleKind>(front: Front, kind: Kind) {
  const names: readonly FilterName[] = LISTS[front][kind]
  const params = Object.fromEntries(names.map((name) => [name, PARAMS[name]]))
  return params as Pick<Params, FiltersOf<Front, Kind>>
}

/** The filters of a query, each with a value. */
export function filtersIn<Front extends FrontEnd, Kind extends ArticleKind>(
  front: Front,
  kind: Kind,
  query: Given<FiltersOf<Front, Kind>>,
) {
  const names: readonly FilterName[] = LISTS[front][kind]
  const given: Given<FilterName> = query
  const filters = names.map((name) => {
    const filter: Filter = FILTERS[name]
    return [name, given[name] ?? filter.fallback ?? null]
  })
  return Object.fromEntries(filters) as {
    [Name in FiltersOf<Front, Kind>]: NonNullable<z.output<Params[Name]>> | Fallback<Name>
  }
}
