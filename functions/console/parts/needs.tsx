/** What only some roles see. */
import type { Child } from 'hono/jsx'
import { isAllowed, type Role } from '../../../src/actor.ts'
import { useRequestContext } from '../request-context.ts'

/** Leaves out what whoever is signed in may not do. The verbs refuse it too. */
export function Needs({ who, children }: { who: Role; children: Child }) {
  return useAllowed(who) ? children : null
}

export function useAllowed(role: Role): boolean {
  return isAllowed(useRequestContext().get('person'), role)
}
