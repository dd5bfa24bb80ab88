import type { Child } from 'hono/jsx'
import { isAllowed, type Role } from '../../../src/core/actor.ts'
import { useRequestContext } from '../site.ts'

/** Only hides: the verbs check roles themselves. */
export function RequireRole({ needs, children }: { needs: Role; children: Child }) {
  return useAllowed(needs) ? children : null
}

export function useAllowed(role: Role): boolean {
  return isAllowed(useRequestContext().get('person'), role)
}

/** Shown instead of a form or button that needs another role. */
export function RoleReason({ needs }: { needs: Role }) {
  return <p class="muted">Only {needs === 'admin' ? 'admins' : 'editors and admins'} can change this.</p>
}
