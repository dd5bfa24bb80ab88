/** The filters of a list, read from its URL, and the form that sets them. */
import * as z from 'zod/mini'
import { sorts } from '../../../src/content/articles/browse.ts'
import { qualityBands } from '../../../src/db/schema.ts'
import { parseInstant, toInstant } from '../../../src/foundation/time.ts'
import type { Http } from '../../http/env.ts'
import {
  integerParam,
  languageParam,
  oneOfParam,
  searchParam,
  singleValue,
  statusParam,
  updatedAfterParam,
} from '../../http/query.ts'
import { type Errors, fieldsOf, type Values } from '../form.ts'
import { SelectField, TextField } from '../parts/field.tsx'
import { InstantField, toInstantText } from '../parts/instant-field.tsx'
import { ButtonLink } from '../parts/site-link.tsx'
import { useSitePath } from '../site.ts'
import { DEFAULT_LANGUAGE, type Kind } from './article.tsx'

const dayParam = (time: string) =>
  z.optional(
    z.pipe(
      singleValue,
      toInstant((day) => parseInstant(`${day}T${time}Z`), 'must be a date such as 2026-01-31'),
    ),
  )

const common = {
  page: integerParam({ minimum: 1, description: 'Page, from 1' }),
  search: searchParam,
  publishedFrom: dayParam('00:00:00'),
  publishedTo: dayParam('23:59:59.999'),
  updatedAfter: updatedAfterParam,
  sort: oneOfParam(sorts, { description: 'Order' }),
}

const readCommon = (query: z.output<z.ZodMiniObject<typeof common>>) => ({
  page: query.page ?? 1,
  search: query.search ?? null,
  publishedFrom: query.publishedFrom ?? null,
  publishedTo: query.publishedTo ?? null,
  updatedAfter: query.updatedAfter ?? null,
  sort: query.sort ?? ('updated' as const),
})

export const GuideFilters = z.pipe(
  z.object({ ...common, status: statusParam }),
  z.transform((query) => ({ ...readCommon(query), status: query.status ?? ('all' as const) })),
)

export const PostFilters = z.pipe(
  z.object({
    ...common,
    status: oneOfParam(['draft', 'ready', 'published', 'all'], { description: 'Status' }),
    band: oneOfParam([...qualityBands, 'none'], { description: 'Quality band' }),
    language: languageParam,
  }),
  z.transform((query) => ({
    ...readCommon(query),
    status: query.status ?? ('all' as const),
    band: query.band ?? null,
    language: query.language ?? null,
  })),
)

const MORE = ['band', 'language', 'publishedFrom', 'publishedTo', 'updatedAfter']
const FILTERS = ['search', 'status', ...MORE]

/** The filters in the URL, as typed and as input. An empty field filters nothing. */
export function readFilters(c: Http): { values: Values; input: Record<string, unknown> } {
  const given = Object.entries(c.req.queries()).filter(
    ([name, texts]) => [...FILTERS, 'sort', 'page'].includes(name) && texts.join('') !== '',
  )
  const values = Object.fromEntries(given.map(([name, texts]) => [name, texts[0]!]))
  const input = Object.fromEntries(
    given.map(([name, texts]) => [name, texts.length > 1 ? texts : inputOf(name, texts[0]!)]),
  )
  return { values, input }
}

function inputOf(name: string, text: string): string {
  if (name === 'updatedAfter') return toInstantText(text)
  // As the list shows a post without a language.
  return name === 'language' ? text.replace(DEFAULT_LANGUAGE, '').trim() : text
}

export function isFiltered(values: Values): boolean {
  return FILTERS.some((name) => values[name])
}

/** Another page of the same list. */
export function pagePath(list: string, values: Values, page: number): string {
  const query = new URLSearchParams(values)
  if (page === 1) query.delete('page')
  else query.set('page', String(page))
  return query.size > 0 ? `${list}?${query}` : list
}

const ALL = { value: '', text: 'All' }

const STATUSES = {
  posts: [
    ALL,
    { value: 'draft', text: 'Drafts' },
    { value: 'ready', text: 'Drafts marked ready' },
    { value: 'published', text: 'Published' },
  ],
  guides: [ALL, { value: 'draft', text: 'Drafts' }, { value: 'published', text: 'Published' }],
}

const BANDS = [
  ALL,
  { value: 'premium', text: 'Premium' },
  { value: 'standard', text: 'Standard' },
  { value: 'review', text: 'Review' },
  { value: 'none', text: 'Not checked' },
]

const SORTS = [
  { value: '', text: 'Updated, newest first' },
  { value: 'updated-oldest', text: 'Updated, oldest first' },
  { value: 'published', text: 'Published, newest first' },
  { value: 'published-oldest', text: 'Published, oldest first' },
  { value: 'title', text: 'Title, A to Z' },
  { value: 'title-reversed', text: 'Title, Z to A' },
]

type FilterFormProps = {
  kind: Kind
  /** The list's page of the site. */
  list: string
  values: Values
  errors: Errors
}

export function FilterForm({ kind, list, values, errors }: FilterFormProps) {
  const field = fieldsOf(values, errors)
  const path = useSitePath()
  const isPosts = kind === 'posts'
  return (
    <form method="get" action={path(list)} class="filters">
      <TextField label="Search" type="search" placeholder="Words of a title or slug" {...field('search')} />
      <SelectField label="Status" {...field('status')} options={STATUSES[kind]} />
      <SelectField label="Sort" {...field('sort')} options={SORTS} />
      <details open={MORE.some((name) => values[name])}>
        <summary>More filters</summary>
        <div>
          {isPosts && <SelectField label="Quality" {...field('band')} options={BANDS} />}
          {isPosts && <TextField label="Language" placeholder="Such as en" {...field('language')} />}
          <DayField label="Published from" {...field('publishedFrom')} />
          <DayField label="Published to" {...field('publishedTo')} />
          <InstantField label="Updated after" {...field('updatedAfter')} />
        </div>
      </details>
      <div class="actions">
        <button type="submit" class="button">
          Filter
        </button>
        {isFiltered(values) && <ButtonLink to={list} text="Clear" look="quiet" />}
      </div>
    </form>
  )
}

type DayFieldProps = { label: string; name: string; value: string | undefined; error: string | undefined }

/** A refused text is kept, which a field for dates would drop. */
function DayField(props: DayFieldProps) {
  return <TextField {...props} type={props.error ? 'text' : 'date'} hint="A day in UTC." />
}
