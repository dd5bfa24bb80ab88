/**
 * Asks which value to keep when two people changed the same field. The form posts each choice under the name of its field, so that
 * the route of the original form saves it.
 */
import type { Child } from 'hono/jsx'
import type { Http } from '../../http/env.ts'
import { labelOf } from '../parts/fields/field-labels.ts'
import { Form } from '../parts/fields/form.tsx'
import { PageHeading } from '../parts/heading.tsx'
import { Notice } from '../parts/notice.tsx'
import { compareTexts, Differences } from './differences.tsx'
import { type Conflict, ORIGINAL_VALUES, type Values, withSeenConflicts } from './three-way-merge.ts'

type ConflictPage = {
  conflicts: Conflict[]
  /** The posted form. */
  values: Values
  cancel: string
  title?: string
  /** The display text of a value, such as an option. */
  textOf?: (name: string, value: string) => string | undefined
}

export function conflictPage(
  c: Http,
  page: Parameters<Http['render']>[1],
  { conflicts, values, cancel, title = 'Changed by someone else', textOf = () => undefined }: ConflictPage,
) {
  c.status(409)
  const { pathname, search } = new URL(c.req.url)
  const chosen = new Set([ORIGINAL_VALUES, ...conflicts.map(({ name }) => name)])
  const others = Object.entries(values).filter(([name]) => !chosen.has(name))
  return c.render(
    <>
      <PageHeading
        title={title}
        lead={
          conflicts.length === 1
            ? 'Someone else changed a field that you edited. Choose which value to keep.'
            : `Someone else changed ${conflicts.length} fields that you edited. Choose which values to keep.`
        }
      />
      <Notice tone="warning">Nothing is saved yet. Your changes are below.</Notice>
      <Form
        action={pathname + search}
        class="conflicts"
        enctype="multipart/form-data"
        hidden={[...others, [ORIGINAL_VALUES, withSeenConflicts(values, conflicts)]]}
        submit="Save"
        cancel={cancel}
        cancelText="Discard my changes"
      >
        {conflicts.map((conflict) => (
          <Choices {...conflict} textOf={textOf} />
        ))}
      </Form>
    </>,
    page,
  )
}

type ChoicesProps = Conflict & { textOf: (name: string, value: string) => string | undefined }

/** One text with the differences, or both values if they have nothing in common. */
function Choices({ name, mine, theirs, shown = { mine, theirs }, textOf }: ChoicesProps) {
  const parts = compareTexts(shown.theirs, shown.mine)
  const isCompared = parts !== null
  return (
    <fieldset>
      <legend>{labelOf(name)}</legend>
      {parts && <Differences parts={parts} />}
      <Choice name={name} value={theirs} label={isCompared ? <del>Saved version</del> : 'Saved version'}>
        {!isCompared && (textOf(name, theirs) ?? inWords(shown.theirs, shown.mine))}
      </Choice>
      <Choice name={name} value={mine} label={isCompared ? <ins>Your version</ins> : 'Your version'}>
        {!isCompared && (textOf(name, mine) ?? inWords(shown.mine, shown.theirs))}
      </Choice>
    </fieldset>
  )
}

type ChoiceProps = { name: string; value: string; label: Child; children: Child }

/** Neither is chosen at first, so that nobody overwrites the other by accident. */
function Choice({ name, value, label, children }: ChoiceProps) {
  return (
    <label class="choice">
      <span>
        <input type="radio" name={name} value={value} required autocomplete="off" /> {label}
      </span>
      {children && (
        <span class="lines" dir="auto">
          {children}
        </span>
      )}
    </label>
  )
}

/** An unchecked box posts nothing. */
function inWords(value: string, other: string): Child {
  if (value === 'on') return 'Yes'
  if (value === '') return other === 'on' ? 'No' : <span class="muted">Empty</span>
  return value
}
