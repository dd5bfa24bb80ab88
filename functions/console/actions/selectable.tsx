/**
 * A list with selectable rows and a bar of bulk actions. With the script the selection survives paging and filtering, Shift selects a
 * range, and each row is one stop of the Tab key.
 */
import type { Child } from 'hono/jsx'
import { MAX_ARTICLES } from '../../../src/core/limits.ts'
import { oneLine } from '../parts/one-line.ts'
import { useAllowed } from '../parts/require-role.tsx'
import { useSitePath } from '../site.ts'

type SelectableProps = {
  /** Pages of the site. `list` has no filters and no page. */
  action: string
  list: string
  label: string
  /** The page shows the whole selection, so the script drops an earlier one. */
  isWhole?: boolean
  buttons: Child
  /** A link that selects more than this page. */
  rest?: Child
  children: Child
}

export function Selectable({
  action,
  list,
  label,
  isWhole = false,
  buttons,
  rest,
  children,
}: SelectableProps) {
  const path = useSitePath()
  if (!useAllowed('editor')) return <>{children}</>
  return (
    <form
      method="post"
      action={path(action)}
      class="selection"
      data-selection={path(list)}
      data-max={MAX_ARTICLES}
      data-whole={isWhole ? 'yes' : undefined}
    >
      {/* Enter in a checkbox presses the first enabled button: outside of a dialog, this one does nothing. */}
      <button type="submit" formmethod="dialog" hidden />
      <fieldset class="row selected" aria-label={label}>
        <label class="row" hidden>
          <input type="checkbox" data-select autocomplete="off" />
          All on this page
        </label>
        <p data-selected role="status">
          Selected:
        </p>
        {buttons}
        <button type="button" class="button quiet" data-clear hidden>
          Clear
        </button>
        {rest}
      </fieldset>
      <p class="visually-hidden" id="selection-keys" hidden>
        Space selects a row. Arrow keys move between rows and within a row.
      </p>
      {children}
    </form>
  )
}

type BoxProps = {
  name: string
  value: string
  title: string
  checked?: boolean
  /** The buttons that would not change this row, with the reason. */
  unchanged: Record<string, string>
}

export function SelectBox({ name, value, title, checked = false, unchanged }: BoxProps) {
  if (!useAllowed('editor')) return null
  return (
    <label class="select">
      <input
        type="checkbox"
        name={name}
        value={value}
        aria-label={`Select ${oneLine(title)}`}
        checked={checked}
        data-unchanged={JSON.stringify(unchanged)}
        autocomplete="off"
      />
    </label>
  )
}
