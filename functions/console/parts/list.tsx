import type { Child } from 'hono/jsx'
import type { Errors, Values } from '../forms/form.ts'
import { addQuery } from '../parent-list.ts'
import { useSitePath } from '../site.ts'
import { EmptyState } from './page.tsx'
import { Pager } from './pager.tsx'
import { ButtonLink } from './site-link.tsx'

type FilterFormProps = {
  /** The path of the list without filters. */
  list: string
  /** The number of fields that are filled in. */
  set: number
  /** Some filters have no field. */
  isFiltered?: boolean
  errors?: Errors
  children: Child
}

/** Folded on narrow screens, so that the list is visible. */
export function FilterForm({ list, set, isFiltered = set > 0, errors = {}, children }: FilterFormProps) {
  const path = useSitePath()
  return (
    <search>
      <form method="get" action={path(list)} data-filter>
        {/* CSS opens it on wide screens. */}
        <details class="fold" open={Object.keys(errors).length > 0}>
          <summary>Search and filter{set > 0 && ` (${set} active)`}</summary>
          <div class="row filters">
            {children}
            <div class="actions">
              <button type="submit" class="button">
                Filter
              </button>
              {isFiltered && <ButtonLink to={list} text="Clear filters" look="quiet" />}
            </div>
          </div>
        </details>
      </form>
    </search>
  )
}

type MoreFiltersProps = { title?: string; names: readonly string[]; values: Values; children: Child }

/** Open if one of them is set. */
export function MoreFilters({ title = 'More filters', names, values, children }: MoreFiltersProps) {
  return (
    <details open={names.some((name) => values[name])}>
      <summary>{title}</summary>
      <div>{children}</div>
    </details>
  )
}

type ListEndProps = {
  /** Such as `sites`. */
  what: string
  count?: Child
  /** The path of the list with its filters. */
  list: string
  isFirst: boolean
  /** The cursor of the next page. */
  next: string | number | null | undefined
}

export function ListEnd({ what, count, list, isFirst, next = null }: ListEndProps) {
  return (
    <div class="row ends">
      {count && (
        <p class="row muted" role="status">
          {count}
        </p>
      )}
      <Pager
        label={`Pages of ${what}`}
        previous={isFirst ? null : { text: 'First page', to: list }}
        next={next === null ? null : { text: 'Next page', to: addQuery(list, { cursor: next }) }}
      />
    </div>
  )
}

/** `list` is the path without filters. */
export function NoMatch({
  what,
  list,
  title = `No ${what} match`,
}: {
  what: string
  list: string
  title?: string | undefined
}) {
  return (
    <EmptyState title={title}>
      <p>Change the filter, or show all.</p>
      <ButtonLink to={list} text="Show all" />
    </EmptyState>
  )
}
