/** Asks before something that cannot be undone. It is a page of its own, since a dialog would need a script. */
import type { Child } from 'hono/jsx'
import { useSitePath } from '../site.ts'
import { ButtonLink } from './site-link.tsx'

type ConfirmProps = {
  title: string
  /** What will happen. */
  children: Child
  /** The page of the site that the form posts to. */
  action: string
  /** What the button says, such as `Revoke key`. */
  submit: string
  cancel?: string
  /** What has to be typed first. */
  field?: Child
}

export function Confirm({ title, children, action, submit, cancel, field }: ConfirmProps) {
  const path = useSitePath()
  return (
    <div class="confirm">
      <h1 dir="auto">{title}</h1>
      {children}
      <form method="post" action={path(action)} class="fields">
        {field}
        <div class="actions">
          <button type="submit" class="button danger">
            {submit}
          </button>
          {cancel && <ButtonLink to={cancel} text="Cancel" />}
        </div>
      </form>
    </div>
  )
}
