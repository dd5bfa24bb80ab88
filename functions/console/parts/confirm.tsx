/** The question before something that cannot be undone: a page of its own, since a dialog would need a script. */
import type { Child } from 'hono/jsx'

type ConfirmProps = {
  title: string
  /** What will happen. */
  children: Child
  /** Where the form is posted. */
  action: string
  /** What the button does, such as `Revoke key`. */
  verb: string
  /** Where there is a way back. */
  back: string
}

export function Confirm({ title, children, action, verb, back }: ConfirmProps) {
  return (
    <div class="confirm">
      <h1>{title}</h1>
      {children}
      <form method="post" action={action} class="actions">
        <button type="submit" class="button danger">
          {verb}
        </button>
        <a class="button" href={back}>
          Cancel
        </a>
      </form>
    </div>
  )
}
