/** Asks before something that cannot be undone. It is a page of its own, since a dialog would need a script. */
import type { Child } from 'hono/jsx'
import type { Role } from '../../../src/core/actor.ts'
import type { Texts } from '../forms/form.ts'
import type { Values } from '../forms/opened.ts'
import { Form } from '../parts/fields/form.tsx'
import { RoleReason, useAllowed } from '../parts/needs.tsx'
import { ButtonLink } from '../parts/site-link.tsx'

type ConfirmProps = {
  /** Names in it have a direction of their own: `<bdi>`. */
  title: Child
  /** The consequences. */
  children: Child
  /** The role that may do it. */
  needs: Role
  /** Where the form posts to. */
  action: string
  /** The text of the button, such as `Revoke key`. */
  submit: string
  cancel: string
  /** The form that was posted before it was confirmed. */
  hidden?: Texts
  /** The field to fill in first. */
  field?: Child
}

/** The field by which a form says that somebody was asked. */
export const CONFIRMED: Texts[number] = ['confirmed', 'yes']

export const isConfirmed = ({ confirmed }: Values) => confirmed === 'yes'

export function Confirm({ title, children, needs, field, ...form }: ConfirmProps) {
  return (
    <div class="confirm">
      <h1>{title}</h1>
      {children}
      {useAllowed(needs) ? (
        <Form {...form} look="danger">
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
