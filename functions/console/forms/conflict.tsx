/**
 * Asks which value to keep where two people have changed one field: both side by side, and a form that saves the chosen ones. A choice posts
 * the value under the name of its field, so that the form goes the way of the one that it is made of.
 */
import type { Child } from 'hono/jsx'
import type { Http } from '../../http/env.ts'
import { labelOf } from '../parts/fields/field-labels.ts'
import { Form } from '../parts/fields/form.tsx'
import { PageHeading } from '../parts/heading.tsx'
import { Notice } from '../parts/notice.tsx'
import { type Conflict, OPENED, reopened, type Values } from './opened.ts'

type ConflictPage = {
  conflicts: Conflict[]
  /** The posted form, which is posted again. */
  values: Values
  /** The page that has the form. */
  cancel: string
  /** The heading, unless somebody was faster. */
  title?: string
  /** The words for a value, such as the text of an option. */
  textOf?: (name: string, value: string) => string | undefined
}

export function conflictPage(
  c: Http,
  page: Parameters<Http['render']>[1],
  { conflicts, values, cancel, title = 'Changed by somebody else', textOf = () => undefined }: ConflictPage,
) {
  c.status(409)
  const { pathname, search } = new URL(c.req.url)
  const chosen = new Set([OPENED, ...conflicts.map(({ name }) => name)])
  const others = Object.entries(values).filter(([name]) => !chosen.has(name))
  return c.render(
    <>
      <PageHeading
        title={title}
        lead={
          conflicts.length === 1
            ? 'A field that you changed has another value since you opened the form. Choose which one stays.'
            : `${conflicts.length} fields that you changed have other values since you opened the form. Choose which ones stay.`
        }
      />
      <Notice tone="warning">Nothing is saved yet. What you typed is here.</Notice>
      <Form
        action={pathname + search}
        class="conflicts"
        enctype="multipart/form-data"
        hidden={[...others, [OPENED, reopened(values, conflicts)]]}
        submit="Save the choice"
        cancel={cancel}
        cancelText="Discard mine"
      >
        {conflicts.map(({ name, mine, theirs }) => (
          <fieldset>
            <legend>{labelOf(name)}</legend>
            <Choice name={name} value={theirs} label="Saved meanwhile">
              {textOf(name, theirs) ?? inWords(theirs, mine)}
            </Choice>
            <Choice name={name} value={mine} label="Yours" checked>
              {textOf(name, mine) ?? inWords(mine, theirs)}
            </Choice>
          </fieldset>
        ))}
      </Form>
    </>,
    page,
  )
}

type ChoiceProps = { name: string; value: string; label: string; checked?: boolean; children: Child }

function Choice({ name, value, label, checked = false, children }: ChoiceProps) {
  return (
    <label class="choice">
      <span>
        <input type="radio" name={name} value={value} checked={checked} autocomplete="off" /> {label}
      </span>
      <span class="lines" dir="auto">
        {children}
      </span>
    </label>
  )
}

/** A box that is not ticked posts nothing. */
function inWords(value: string, other: string): Child {
  if (value === 'on') return 'Yes'
  if (value === '') return other === 'on' ? 'No' : <span class="muted">Empty</span>
  return value
}
