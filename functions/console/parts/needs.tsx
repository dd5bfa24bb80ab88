/** Parts of a page that only some roles see. */
import type { Child } from 'hono/jsx'
import { isAllowed, type Role } from '../../../src/core/actor.ts'
import { useRequestContext } from '../request-context.ts'

/** Leaves out what whoever is signed in may not do. The verbs refuse it too. */
export function Needs({ who, children }: { who: Role; children: Child }) {
  return useAllowed(who) ? children : null
}

export function useAllowed(role: Role): boolean {
  return isAllowed(useRequestContext().get('person'), role)
}

/** In place of a form or a button that another role would see. */
export function RoleReason({ needs }: { needs: Role }) {
  return <p class="muted">Your role does not allow changes here: it takes an {needs}.</p>
}
