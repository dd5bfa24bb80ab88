/** Forms that post: of fields, or of a button alone. Paths are of pages of the site, or full ones. */
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
  /** The text of the button. */
  submit: string
  look?: 'primary' | 'danger'
  /** Where the link beside the button leads. */
  cancel?: string | undefined
  cancelText?: string
  /** For long texts, which the default one makes three times as long. */
  enctype?: 'multipart/form-data' | undefined
  class?: string
  hidden?: Texts
  children?: Child
}

export function Form({
  action,
  needs,
  submit,
  look = 'primary',
  cancel,
  cancelText = 'Cancel',
  enctype,
  class: className = 'fields',
  hidden = [],
  children,
}: FormProps) {
  const path = useSitePath()
  if (needs && !useAllowed(needs)) {
    return (
      <fieldset class="fields" disabled>
        <RoleReason needs={needs} />
        {children}
      </fieldset>
    )
  }
  return (
    <form method="post" action={path(action)} class={className} enctype={enctype}>
      <HiddenFields form={hidden} />
      {children}
      <div class="actions">
        <button type="submit" class={`button ${look}`}>
          {submit}
        </button>
        {cancel && (
          <a class="button" href={path(cancel)}>
            {cancelText}
          </a>
        )}
      </div>
    </form>
  )
}

/** Without `autocomplete` Firefox fills in the values that the page had before. */
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

/** One that does nothing but say why, by the id of the reason: `disabled` would take it out of the keyboard's reach. */
export function IdleButton({ reason, children }: { reason: string; children: Child }) {
  return (
    <button type="button" class="button" aria-disabled="true" aria-describedby={reason}>
      {children}
    </button>
  )
}

type PostButtonProps = {
  /** Other roles do not see it. */
  needs?: Role
  action: string
  class?: string
  name?: string
  value?: string
  /** The text of the button while the answer is awaited, if that may take seconds. */
  'data-busy'?: string
  children: Child
}

export function PostButton({
  needs = 'viewer',
  action,
  class: className = 'button',
  children,
  ...value
}: PostButtonProps) {
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
