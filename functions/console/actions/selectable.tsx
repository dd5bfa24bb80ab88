/**
 * A list with selectable rows and a bar of bulk actions. With the script the selection survives paging and filtering, Shift selects a
 * range, and each row is one stop of the Tab key.
 */
import type { Child } from 'hono/jsx'
import { MAX_ARTICLES } from '../../../src/core/limits.ts'
import { HiddenFields } from '../parts/fields/form.tsx'
import { oneLine } from '../parts/one-line.ts'
import { useAllowed } from '../parts/require-role.tsx'
import { useSitePath } from '../site.ts'

type SelectableProps = {
  /** Pages of the site. `list` has no filters and no page. */
  action: string
  list: string
  label: string
  /** The name of the checkboxes, and the values selected on other pages. */
  name: string
  elsewhere?: string[]
  /** The page shows the whole selection, so the script drops an earlier one. */
  isWhole?: boolean
  buttons: Child
  children: Child
}

export function Selectable({
  action,
  list,
  label,
  name,
  elsewhere = [],
  isWhole = false,
  buttons,
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
        <p class="muted" data-selected role="status">
          {elsewhere.length > 0 ? `Selected, plus ${elsewhere.length} on other pages:` : 'Selected:'}
        </p>
        <button type="button" class="button quiet" data-clear hidden>
          Clear
        </button>
        {buttons}
      </fieldset>
      <p class="visually-hidden" id="selection-keys" hidden>
        Space selects a row. Arrow keys move between rows and within a row.
      </p>
      <HiddenFields form={elsewhere.map((value) => [name, value])} />
      {children}
    </form>
  )
}

type BoxProps = { name: string; value: string; title: string; checked?: boolean }

export function SelectBox({ name, value, title, checked = false }: BoxProps) {
  if (!useAllowed('editor')) return null
  return (
    <input
      type="checkbox"
      class="select"
      name={name}
      value={value}
      aria-label={`Select ${oneLine(title)}`}
      checked={checked}
      autocomplete="off"
    />
  )
}
