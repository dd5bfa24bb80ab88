import * as z from 'zod/mini'
import type { Sort, Tally } from '../../../src/content/articles/browse.ts'
import { type ArticleKind, type FiltersOf, LISTS } from '../../../src/content/model/article-filters.ts'
import { POST_STATES, type PostState } from '../../../src/content/posts/browse.ts'
import type { Http } from '../../http/env.ts'
import { filterParams, filtersIn } from '../../http/list.ts'
import { integerParam, oneOfParam } from '../../http/query.ts'
import { type Errors, fieldsOf, type Values } from '../forms/form.ts'
import { addQuery, PARENT_LISTS } from '../parent-list.ts'
import { type Option, SelectField, TextField } from '../parts/fields/field.tsx'
import { HiddenFields } from '../parts/fields/form.tsx'
import { InstantField } from '../parts/fields/instant-field.tsx'
import { FilterForm } from '../parts/list.tsx'
import { parentQueries, readFilters } from '../query.ts'
import { BAND_NAMES } from './state-badges.tsx'

const SORTS = {
  updated: 'Updated, newest first',
  'updated-oldest': 'Updated, oldest first',
  published: 'Published, newest first',
  'published-oldest': 'Published, oldest first',
  title: 'Title, A to Z',
  'title-reversed': 'Title, Z to A',
} satisfies Record<Sort, string>

const SORT_OPTIONS = Object.entries(SORTS).map(
  ([sort, text]): Option => [sort === 'updated' ? '' : sort, text],
)

const SOONEST: Option = ['', 'Publishes, soonest first']

const page = integerParam({ minimum: 1, description: 'Page, from 1' })
const sort = oneOfParam(Object.keys(SORTS) as Sort[], { description: 'Order' })
const status = oneOfParam(Object.keys(POST_STATES) as PostState[], { description: 'Status' })

type Common = { page?: number | undefined; sort?: Sort | undefined }
const common = ({ page = 1, sort = 'updated' }: Common) => ({ page, sort })

export const GuideFilters = z.pipe(
  z.object({ ...filterParams('console', 'guides'), page, sort }),
  z.transform((query) => ({ ...filtersIn('console', 'guides', query), ...common(query) })),
)

export const PostFilters = z.pipe(
  z.object({ ...filterParams('console', 'posts'), page, sort, status }),
  z.transform(({ status = 'all', ...query }) => ({
    ...filtersIn('console', 'posts', query),
    ...common(query),
    status,
  })),
)

type Control = {
  field: 'search' | 'text' | 'date' | 'instant'
  label: string
  placeholder?: string
}

type Name = FiltersOf<'console', ArticleKind>
/** The others have tabs, or a select. */
type Field = Exclude<Name, 'status' | 'band'>

const CONTROLS: Record<Field, Control> = {
  search: { field: 'search', label: 'Search', placeholder: 'Search title or slug' },
  language: { field: 'text', label: 'Language', placeholder: 'en' },
  publishedFrom: { field: 'date', label: 'Published from' },
  publishedTo: { field: 'date', label: 'Published to' },
  updatedAfter: { field: 'instant', label: 'Updated after' },
  updatedBefore: { field: 'instant', label: 'Updated before' },
}

const NAMES: readonly string[] = LISTS.console.posts

export const readArticleFilters = (queries: Record<string, string[]>) =>
  readFilters(queries, [...NAMES, 'sort', 'page'])

/** The filters of the list that an article was opened from. Defaults if there are none, or they are invalid. */
export function parentFilters<Filters extends z.ZodMiniType>(c: Http, kind: ArticleKind, filters: Filters) {
  const parsed = filters.safeParse(readArticleFilters(parentQueries(c, PARENT_LISTS[kind].list)).input)
  return (parsed.success ? parsed.data : filters.parse({})) as z.output<Filters>
}

export function isFiltered(values: Values): boolean {
  return NAMES.some((name) => values[name])
}

export const pagePath = (list: string, { page: _, ...values }: Values, page: number) =>
  addQuery(list, { ...values, page: page === 1 ? null : page })

/** A refused filter has no counts. */
export type Counted = { kind: ArticleKind; values: Values; counts: Tally[] | undefined }

/** The counts are known only if no other filter is set. */
const COUNTED_FILTERS = ['status', 'band', 'language']

/** The number of articles in a state with a quality band, or any with an empty one. Null if unknown. */
export function countIn({ kind, values, counts }: Counted, state: string, band: string): number | null {
  if (LISTS.console[kind].some((name) => values[name] && !COUNTED_FILTERS.includes(name))) return null
  const counted = counts
    ?.filter(
      (tally) => tally.state === state && (band === '' || tally.band === (band === 'none' ? '' : band)),
    )
    .reduce((sum, { count }) => sum + count, 0)
  return counted ?? null
}

type ArticleFiltersProps = Counted & { list: string; errors: Errors }

export function ArticleFilters({ kind, list, values, errors, counts }: ArticleFiltersProps) {
  const field = fieldsOf(values, errors)
  const fieldOf = (name: Field) => <FilterField filter={CONTROLS[name]} {...field(name)} />
  const names: readonly Name[] = LISTS.console[kind]
  const more = names.filter((name): name is Field => !['status', 'band', 'search'].includes(name))
  const labels = Object.fromEntries(more.map((name) => [name, CONTROLS[name].label]))
  const fields = (
    <>
      {more.map(fieldOf)}
      <p class="hint">Days of publication are in UTC.</p>
    </>
  )
  const set = names.filter((name) => name !== 'status' && values[name]).length
  const sorts = values.status === 'scheduled' ? [SOONEST, ...SORT_OPTIONS.slice(1)] : SORT_OPTIONS
  const bands = Object.entries({ '': 'Any', ...BAND_NAMES }).map(([band, text]): Option => {
    const count = countIn({ kind, values, counts }, values.status ?? 'all', band)
    return [band, count === null ? text : `${text} (${count.toLocaleString('en')})`]
  })
  return (
    <FilterForm
      list={addQuery(list, { status: values.status })}
      set={set}
      errors={errors}
      more={{ labels, values, fields }}
    >
      {fieldOf('search')}
      {names.includes('band') && <SelectField label="Quality" {...field('band')} options={bands} />}
      <SelectField label="Sort" {...field('sort')} options={sorts} />
      <HiddenFields form={values.status ? [['status', values.status]] : []} />
    </FilterForm>
  )
}

type FilterFieldProps = {
  filter: Control
  name: string
  value: string | undefined
  error: string | undefined
}

/** A text field keeps an invalid date, which a date field would drop. */
function FilterField({ filter: { field, ...texts }, ...rest }: FilterFieldProps) {
  if (field === 'instant') return <InstantField {...texts} {...rest} />
  return <TextField type={field === 'date' && rest.error ? 'text' : field} {...texts} {...rest} />
}
