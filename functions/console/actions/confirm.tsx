/** Asks for confirmation on a page of its own, since a dialog needs a script. */
import type { Child } from 'hono/jsx'
import type { Role } from '../../../src/core/actor.ts'
import type { FormEntries, Values } from '../forms/form.ts'
import { Form } from '../parts/fields/form.tsx'
import { RoleReason, useAllowed } from '../parts/require-role.tsx'
import { ButtonLink } from '../parts/site-link.tsx'

type ConfirmProps = {
  /** Wrap names in `<bdi>`, because they may be right-to-left. */
  title: Child
  /** The consequences of confirming. */
  children: Child
  needs: Role
  action: string
  /** The button text, such as `Revoke key`. */
  submit: string
  /** Red unless it can be undone. */
  look?: 'primary' | 'danger'
  cancel: string
  /** The fields of the form that asked for confirmation. */
  hidden?: FormEntries
  /** A field to fill in before confirming. */
  field?: Child
}

/** The hidden field of a confirmed form. */
export const CONFIRMED: FormEntries[number] = ['confirmed', 'yes']

export const isConfirmed = ({ confirmed }: Values) => confirmed === 'yes'

export function Confirm({ title, children, needs, field, ...form }: ConfirmProps) {
  return (
    <div class="confirm">
      <h1>{title}</h1>
      {children}
      {useAllowed(needs) ? (
        <Form look="danger" {...form}>
          {field}
        </Form>
      ) : (
        <>
          <RoleReason needs={needs} />
          <div class="actions">
            <ButtonLink to={form.cancel} text="Cancel" />
          </div>
        </>
      )}
    </div>
  )
}
