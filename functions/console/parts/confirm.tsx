/** Asks before something that cannot be undone. It is a page of its own, since a dialog would need a script. */
import type { Child } from 'hono/jsx'
import type { Role } from '../../../src/core/actor.ts'
import { useSitePath } from '../site.ts'
import { RoleReason, useAllowed } from './needs.tsx'
import { ButtonLink } from './site-link.tsx'

type ConfirmProps = {
  /** Names in it have a direction of their own: `<bdi>`. */
  title: Child
  /** What will happen. */
  children: Child
  /** The role that may do it. */
  needs: Role
  /** The page of the site that the form posts to. */
  action: string
  /** What the button says, such as `Revoke key`. */
  submit: string
  cancel?: string
  /** What has to be typed first. */
  field?: Child
}

export function Confirm({ title, children, needs, action, submit, cancel, field }: ConfirmProps) {
  const path = useSitePath()
  const back = cancel && <ButtonLink to={cancel} text="Cancel" />
  return (
    <div class="confirm">
      <h1>{title}</h1>
      {children}
      {useAllowed(needs) ? (
        <form method="post" action={path(action)} class="fields">
          {field}
          <div class="actions">
            <button type="submit" class="button danger">
              {submit}
            </button>
            {back}
          </div>
        </form>
      ) : (
        <>
          <RoleReason needs={needs} />
          {back && <div class="actions">{back}</div>}
        </>
      )}
    </div>
  )
}
