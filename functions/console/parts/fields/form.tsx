/** Forms that post. Paths are pages of the site, or full paths. */
import type { Child } from 'hono/jsx'
import type { Role } from '../../../../src/core/actor.ts'
import type { FormEntries, Values } from '../../forms/form.ts'
import { ORIGINAL_VALUES, serializeOriginal } from '../../forms/three-way-merge.ts'
import { useRequestContext, useSitePath } from '../../site.ts'
import { RoleReason, useAllowed } from '../require-role.tsx'
import { ButtonLink } from '../site-link.tsx'

type FormProps = {
  /** The current page if omitted. */
  action?: string
  /** The required role. Lower roles see the form disabled. */
  needs?: Role
  submit: string
  /** The text of its button while a slow request runs. */
  'data-busy'?: string
  look?: 'primary' | 'danger'
  cancel?: string | undefined
  cancelText?: string
  /** Further buttons, after the first. */
  beside?: Child
  /** For long texts, which the default encoding may triple in size. */
  enctype?: 'multipart/form-data' | undefined
  class?: string
  hidden?: FormEntries
  children?: Child
}

export function Form({
  action,
  needs,
  submit,
  'data-busy': busy,
  look = 'primary',
  cancel,
  cancelText = 'Cancel',
  beside,
  enctype,
  class: className = 'fields',
  hidden = [],
  children,
}: FormProps) {
  const path = useSitePath()
  const { pathname, search } = new URL(useRequestContext().req.url)
  const cancelLink = cancel && <ButtonLink to={cancel} text={cancelText} />
  if (needs && !useAllowed(needs)) {
    return (
      <>
        <fieldset class="fields" disabled>
          <RoleReason needs={needs} />
          {children}
        </fieldset>
        {cancelLink && <div class="actions">{cancelLink}</div>}
      </>
    )
  }
  return (
    <form
      method="post"
      action={action ? path(action) : pathname + search}
      class={className}
      enctype={enctype}
    >
      <HiddenFields form={hidden} />
      {children}
      <div class="actions">
        <button type="submit" class={`button ${look}`} data-busy={busy}>
          {submit}
        </button>
        {beside}
        {cancelLink}
      </div>
    </form>
  )
}

/** Without `autocomplete="off"` Firefox restores earlier values. */
export function HiddenFields({ form }: { form: FormEntries }) {
  return (
    <>
      {form.map(([name, value]) => (
        <input type="hidden" name={name} value={value} autocomplete="off" />
      ))}
    </>
  )
}

/** Carries the original values for `changedOnly` and `saveMerged`. */
export function OriginalValues({ values }: { values: Partial<Values> }) {
  return <HiddenFields form={[[ORIGINAL_VALUES, serializeOriginal(values)]]} />
}

type PostButtonProps = {
  /** Hidden from lower roles. */
  needs?: Role
  action: string
  class?: string
  name?: string
  value?: string
  'data-busy'?: string
  hidden?: FormEntries
  children: Child
}

export function PostButton({
  needs,
  action,
  class: className = 'button',
  hidden = [],
  children,
  ...value
}: PostButtonProps) {
  const path = useSitePath()
  if (needs && !useAllowed(needs)) return null
  return (
    <form method="post" action={path(action)}>
      <HiddenFields form={hidden} />
      <button type="submit" {...value} class={className}>
        {children}
      </button>
    </form>
  )
}
