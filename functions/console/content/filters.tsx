/** What a list is narrowed by: in its address, with the API's rules, and a form to change it. */
import { parseInstant } from '../../../src/time.ts'
import type { Http } from '../../http/env.ts'
import { z } from '../../http/openapi.ts'
import { instant, integer, languagePrefix, oneOf, search } from '../../http/query.ts'
import type { Errors, Values } from '../form.ts'
import { SelectField, TextField } from '../parts/field.tsx'

const FILTERS = ['search', 'status', 'language', 'updatedAfter']
/** What a browser sends of a time without its zone. */
const WALL_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?$/

export const Filters = z
  .object({
    page: integer({ minimum: 1, description: 'Page, from 1' }),
    search,
    status: oneOf(['draft', 'published', 'all'], { fallback: 'all', description: 'Status' }),
    language: languagePrefix,
    updatedAfter: instant('Only what was updated strictly after this time'),
  })
  .transform((query) => ({
    page: query.page ?? 1,
    search: query.search ?? null,
    status: query.status ?? 'all',
    language: query.language ?? null,
    updatedAfter: query.updatedAfter ?? null,
  }))

/** The filters as they stand in the address; a field that was left empty filters nothing. */
export function readFilters(c: Http): { values: Values; meant: Record<string, unknown> } {
  const given = Object.entries(c.req.queries()).filter(
    ([name, texts]) => [...FILTERS, 'page'].includes(name) && texts.join('') !== '',
  )
  const values = Object.fromEntries(given.map(([name, texts]) => [name, texts[0]!]))
  const meant = Object.fromEntries(
    given.map(([name, texts]) => {
      const [text] = texts
      if (texts.length > 1) return [name, texts]
      return [name, name === 'updatedAfter' && WALL_TIME.test(text!) ? inUtc(text!) : text]
    }),
  )
  return { values, meant }
}

export function isFiltered(values: Values): boolean {
  return FILTERS.some((name) => values[name])
}

/** The address of another page of the same list. */
export function pageHref(list: string, values: Values, page: number): string {
  const query = new URLSearchParams(values)
  if (page === 1) query.delete('page')
  else query.set('page', String(page))
  return query.size > 0 ? `${list}?${query}` : list
}

type FormProps = { list: string; values: Values; errors: Errors; languages: boolean }

export function FilterForm({ list, values, errors, languages }: FormProps) {
  const field = (name: string) => ({ name, value: values[name], error: errors[name] })
  return (
    <form method="get" action={list} class="filters">
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
          value={values.updatedAfter && shownUtc(values.updatedAfter)}
        />
      )}
      <div class="actions">
        <button type="submit" class="button">
          Filter
        </button>
        {isFiltered(values) && (
          <a class="button quiet" href={list}>
            Clear
          </a>
        )}
      </div>
    </form>
  )
}

/** `2026-11-21T03:28` is taken for UTC. */
function inUtc(wallTime: string): string {
  return `${wallTime}${wallTime.split(':').length === 2 ? ':00' : ''}Z`
}

/** An instant as its field wants it, no finer than need be. */
function shownUtc(text: string): string {
  const at = parseInstant((WALL_TIME.test(text) ? inUtc(text) : text).replace(' ', '+'))
  return (at?.toISOString() ?? '')
    .replace(/Z$/, '')
    .replace(/\.000$/, '')
    .replace(/:00$/, '')
}
