/** Forms that post: of fields, or of a button alone. */
import type { Child } from 'hono/jsx'
import { useSitePath } from '../site.ts'

type FormProps = {
  action: string
  /** What the button says. */
  submit: string
  /** Where `Cancel` leads. */
  cancel?: string | undefined
  children: Child
}

export function Form({ action, submit, cancel, children }: FormProps) {
  return (
    <form method="post" action={action} class="fields">
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

/** A form whose `action` and `cancel` are pages of the site. */
export function SiteForm({ action, cancel, ...rest }: FormProps) {
  const path = useSitePath()
  return <Form {...rest} action={path(action)} cancel={cancel && path(cancel)} />
}

type SiteButtonProps = {
  /** A page of the site. */
  action: string
  class?: string
  name?: string
  value?: string
  children: Child
}

/** A button that posts to a page of the site. */
export function SiteButton({ action, class: className = 'button', children, ...value }: SiteButtonProps) {
  const path = useSitePath()
  return (
    <form method="post" action={path(action)}>
      <button type="submit" {...value} class={className}>
        {children}
      </button>
    </form>
  )
}
