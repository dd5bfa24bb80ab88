/** Forms that post: of fields, or of a button alone. */
import type { Child } from 'hono/jsx'
import type { Role } from '../../../../src/core/actor.ts'
import type { Texts } from '../../forms/form.ts'
import { OPENED, openedWith, type Values } from '../../forms/opened.ts'
import { useSitePath } from '../../site.ts'
import { RoleReason, useAllowed } from '../needs.tsx'

type FormProps = {
  action: string
  /** The role that may send it. Others see what is in it. */
  needs?: Role
  /** What the button says. */
  submit: string
  /** Where `Cancel` leads. */
  cancel?: string | undefined
  /** For long texts, which the default one makes three times as long. */
  enctype?: 'multipart/form-data' | undefined
  children: Child
}

export function Form({ action, needs, submit, cancel, enctype, children }: FormProps) {
  if (needs && !useAllowed(needs)) {
    return (
      <fieldset class="fields" disabled>
        <RoleReason needs={needs} />
        {children}
      </fieldset>
    )
  }
  return (
    <form method="post" action={action} enctype={enctype} class="fields">
      {children}
      <div class="actions">
        <button type="submit" class="button primary">
          {submit}
        </button>
        {cancel && (
          <a class="button" href={cancel}>
            Cancel
          </a>
        )}
      </div>
    </form>
  )
}

/** What a form has posted already, or is always to post. Without `autocomplete` Firefox fills in what the page had before. */
export function HiddenFields({ form }: { form: Texts }) {
  return (
    <>
      {form.map(([name, value]) => (
        <input type="hidden" name={name} value={value} autocomplete="off" />
      ))}
    </>
  )
}

/** Keeps the values that a form was made from, for `changedOnly` and `saveOpened`. */
export function OpenedWith({ values }: { values: Partial<Values> }) {
  return <HiddenFields form={[[OPENED, openedWith(values)]]} />
}

/** A form whose `action` and `cancel` are pages of the site. */
export function SiteForm({ action, cancel, ...rest }: FormProps & { needs: Role }) {
  const path = useSitePath()
  return <Form {...rest} action={path(action)} cancel={cancel && path(cancel)} />
}

/** One that does nothing but say why, by the id of the reason: `disabled` would take it out of the keyboard's reach. */
export function IdleButton({ reason, children }: { reason: string; children: Child }) {
  return (
    <button type="button" class="button" aria-disabled="true" aria-describedby={reason}>
      {children}
    </button>
  )
}

type SiteButtonProps = {
  /** Others do not see it. */
  needs: Role
  /** A page of the site. */
  action: string
  class?: string
  name?: string
  value?: string
  /** What the button says while the answer is awaited, if that may take seconds. */
  'data-busy'?: string
  children: Child
}

/** A button that posts to a page of the site. */
export function SiteButton({
  needs,
  action,
  class: className = 'button',
  children,
  ...value
}: SiteButtonProps) {
  const path = useSitePath()
  if (!useAllowed(needs)) return null
  return (
    <form method="post" action={path(action)}>
      <button type="submit" {...value} class={className}>
        {children}
      </button>
    </form>
  )
}

/** Revokes what a row of a table is about, which `what` names to those who do not see the row. */
export function RevokeButton({ action, what }: { action: string; what: string }) {
  return (
    <form method="post" action={`${action}/revocation`}>
      <button type="submit" class="button small">
        Revoke<span class="visually-hidden"> {what}</span>
      </button>
    </form>
  )
}
