/** The fields that filter a list, with their button: folded where a screen is narrow, so that the list begins on it. */
import type { Child } from 'hono/jsx'
import type { Errors } from '../../forms/form.ts'

type FilterFieldsProps = {
  /** How many of them filter. */
  set: number
  errors?: Errors
  /** The path of the list without a filter, where one is set. */
  clear: string | null
  children: Child
}

export function FilterFields({ set, errors = {}, clear, children }: FilterFieldsProps) {
  return (
    // Open wherever there is room.
    <details class="fold" open={Object.keys(errors).length > 0}>
      <summary>Search and filter{set > 0 && ` (${set} set)`}</summary>
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
