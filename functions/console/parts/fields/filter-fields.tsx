/** The filter fields of a list. Folded on narrow screens, so that the list is visible. */
import type { Child } from 'hono/jsx'
import type { Errors } from '../../forms/form.ts'

type FilterFieldsProps = {
  /** The number of active filters. */
  set: number
  errors?: Errors
  /** The path of the unfiltered list. Null if no filter is active. */
  clear: string | null
  children: Child
}

export function FilterFields({ set, errors = {}, clear, children }: FilterFieldsProps) {
  return (
    // CSS opens it on wide screens.
    <details class="fold" open={Object.keys(errors).length > 0}>
      <summary>Search and filter{set > 0 && ` (${set} active)`}</summary>
      <div class="filters">
        {children}
        <div class="actions">
          <button type="submit" class="button">
            Filter
          </button>
          {clear && (
            <a class="button quiet" href={clear}>
              Clear
            </a>
          )}
        </div>
      </div>
    </details>
  )
}
