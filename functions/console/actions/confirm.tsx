/** Asks for confirmation on a page of its own, since a dialog needs a script. */
import type { Child } from 'hono/jsx'
import type { Role } from '../../../src/core/actor.ts'
import type { FormEntries, Values } from '../forms/form.ts'
import { Form } from '../parts/fields/form.tsx'
import { oneLine } from '../parts/one-line.ts'

type ConfirmProps = {
  /** May have a place for the `{name}`, which may be right-to-left. */
  title: string
  name?: string
  /** The consequences of confirming. */
  children: Child
  needs: Role
  /** The current page if omitted. */
  action?: string
  submit: string
  /** Red unless it can be undone. */
  look?: 'primary' | 'danger'
  cancel: string
  /** The fields of the form that asked for confirmation. */
  hidden?: FormEntries
  /** A field to fill in before confirming. */
  field?: Child
}

export const CONFIRMED: FormEntries[number] = ['confirmed', 'yes']

export const isConfirmed = ({ confirmed }: Values) => confirmed === 'yes'

export function Confirm({ title, name, children, field, ...form }: ConfirmProps) {
  const [before, after] = title.split('{name}')
  return (
    <div class="confirm">
      <h1>
        {before}
        {name && <bdi>{oneLine(name)}</bdi>}
        {after}
      </h1>
      {children}
      <Form look="danger" {...form}>
        {field}
      </Form>
    </div>
  )
}
