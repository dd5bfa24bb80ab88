import type { Child } from 'hono/jsx'
import { parseInstant } from '../../../src/core/instant.ts'
import type { Errors, Values } from '../forms/form.ts'
import { addQuery } from '../parent-list.ts'
import { useSitePath } from '../site.ts'
import { toInstantText } from './fields/instant-field.tsx'
import { EmptyState } from './page.tsx'
import { Pager } from './pager.tsx'
import { ButtonLink, SiteLink } from './site-link.tsx'
import { Time, UtcDay } from './time.tsx'

type FilterProps = {
  /** The path of the list without filters. */
  list: string
  /** The number of fields that are filled in. */
  set: number
  /** Some filters have no field. */
  isFiltered?: boolean
  errors?: Errors
  more?: MoreFilters
  children: Child
}

/** Further filters in a panel. */
type MoreFilters = {
  title?: string
  labels: Record<string, string>
  values: Values
  /** For values that are IDs. */
  texts?: Record<string, string | null>
  fields: Child
}

/** Folded on narrow screens, so that the list is visible. */
export function FilterForm({ list, set, isFiltered = set > 0, errors = {}, more, children }: FilterProps) {
  const path = useSitePath()
  return (
    <search>
      <form method="get" action={path(list)} data-filter>
        {/* CSS opens it on wide screens. */}
        <details class="fold" open={Object.keys(errors).length > 0}>
          <summary>Search and filter{set > 0 && ` (${set})`}</summary>
          <div class="row filters">
            {children}
            {more && (
              <details class="menu" open={Object.keys(more.labels).some((name) => errors[name])}>
                <summary class="button">{more.title ?? 'More filters'}</summary>
                <div class="menu-panel">
                  {more.fields}
                  <button type="submit" class="button primary">
                    Apply
                  </button>
                </div>
              </details>
            )}
            <div class="actions">
              <button type="submit" class="button">
                Filter
              </button>
              {isFiltered && <ButtonLink to={list} text="Clear filters" look="quiet" />}
            </div>
          </div>
        </details>
      </form>
      {more && <Chips list={list} {...more} />}
    </search>
  )
}

/** The filters of the panel that are set. Each link removes one. */
function Chips({ list, labels, values, texts = {} }: MoreFilters & { list: string }) {
  const set = Object.entries(labels).filter(([name]) => values[name])
  if (set.length === 0) return null
  return (
    <nav class="row chips" aria-label="Active filters">
      {set.map(([name, label]) => {
        const { [name]: value = '', page: _, ...rest } = values
        const isDay = !value.includes('T')
        const at = parseInstant(toInstantText(isDay ? `${value}T00:00` : value))
        const Shown = isDay ? UtcDay : Time
        return (
          <SiteLink to={addQuery(list, rest)} title={`Remove the filter “${label}”`}>
            {label} {at ? <Shown at={at} /> : <bdi>{texts[name] ?? value}</bdi>}{' '}
            <span aria-hidden="true">×</span>
          </SiteLink>
        )
      })}
    </nav>
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
  if (!count && isFirst && next === null) return null
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

type NoMatchProps = { what: string; search?: string | undefined; list: string }

/** `list` is the path without filters. */
export function NoMatch({ what, search, list }: NoMatchProps) {
  return (
    <EmptyState title={`No ${what} match${search ? ` “${search}”` : ''}`}>
      <ButtonLink to={list} text="Clear filters" />
    </EmptyState>
  )
}
