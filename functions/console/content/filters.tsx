/** The filters of a list: read from its URL, by the API's rules, and the form that sets them. */
import * as z from 'zod/mini'
import { parseInstant } from '../../../src/time.ts'
import type { Http } from '../../http/env.ts'
import { integerParam, languageParam, searchParam, statusParam, updatedAfterParam } from '../../http/query.ts'
import { type Errors, fieldsOf, type Values } from '../form.ts'
import { SelectField, TextField } from '../parts/field.tsx'
import { ButtonLink } from '../parts/site-link.tsx'
import { useSitePath } from '../site.ts'

const FILTERS = ['search', 'status', 'language', 'updatedAfter']
/** A time without a zone, as browsers send it. */
const WALL_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?$/

export const Filters = z.pipe(
  z.object({
    page: integerParam({ minimum: 1, description: 'Page, from 1' }),
    search: searchParam,
    status: statusParam,
    language: languageParam,
    updatedAfter: updatedAfterParam,
  }),
  z.transform((query) => ({
    page: query.page ?? 1,
    search: query.search ?? null,
    status: query.status ?? 'all',
    language: query.language ?? null,
    updatedAfter: query.updatedAfter ?? null,
  })),
)

/** The filters in the URL, as typed and as input. An empty field filters nothing. */
export function readFilters(c: Http): { values: Values; input: Record<string, unknown> } {
  const given = Object.entries(c.req.queries()).filter(
    ([name, texts]) => [...FILTERS, 'page'].includes(name) && texts.join('') !== '',
  )
  const values = Object.fromEntries(given.map(([name, texts]) => [name, texts[0]!]))
  const input = Object.fromEntries(
    given.map(([name, texts]) => {
      const [text] = texts
      if (texts.length > 1) return [name, texts]
      return [name, name === 'updatedAfter' && WALL_TIME.test(text!) ? inUtc(text!) : text]
    }),
  )
  return { values, input }
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

type FilterFormProps = {
  /** The list's page of the site. */
  list: string
  values: Values
  errors: Errors
  languages: boolean
}

export function FilterForm({ list, values, errors, languages }: FilterFormProps) {
  const field = fieldsOf(values, errors)
  const path = useSitePath()
  return (
    <form method="get" action={path(list)} class="filters">
      <TextField label="Search" type="search" placeholder="In titles" {...field('search')} />
      <SelectField
        label="Status"
        {...field('status')}
        options={[
          { value: '', text: 'All' },
          { value: 'draft', text: 'Drafts' },
          { value: 'published', text: 'Published' },
        ]}
      />
      {languages && <TextField label="Language" placeholder="Such as en" {...field('language')} />}
      {errors.updatedAfter ? (
        <TextField label="Updated after" {...field('updatedAfter')} />
      ) : (
        <TextField
          label="Updated after"
          type="datetime-local"
          step="any"
          data-utc="yes"
          hint="In UTC."
          name="updatedAfter"
          value={values.updatedAfter && toFieldValue(values.updatedAfter)}
        />
      )}
      <div class="actions">
        <button type="submit" class="button">
          Filter
        </button>
        {isFiltered(values) && <ButtonLink to={list} text="Clear" look="quiet" />}
      </div>
    </form>
  )
}

/** Reads `2026-11-21T03:28` as UTC. */
function inUtc(wallTime: string): string {
  return `${wallTime}${wallTime.split(':').length === 2 ? ':00' : ''}Z`
}

/** The value of the field for an instant: in UTC, without seconds that are 0. */
function toFieldValue(text: string): string {
  const at = parseInstant((WALL_TIME.test(text) ? inUtc(text) : text).replace(' ', '+'))
  return (at?.toISOString() ?? '')
    .replace(/Z$/, '')
    .replace(/\.000$/, '')
    .replace(/:00$/, '')
}
