/** Shared by the pages of people. */
import * as z from 'zod/mini'
import { isAllowed } from '../../../src/core/actor.ts'
import type { ErrorCode } from '../../../src/core/errors.ts'
import { getOperator, type Operator, OperatorInput } from '../../../src/people/operators.ts'
import type { Http } from '../../http/env.ts'
import { idOf } from '../../http/request.ts'
import type { Errors } from '../forms/form.ts'

export type Person = z.infer<typeof Operator>

export const PEOPLE = '/console/people'

/** Nobody has an empty list of sites: they are removed instead. */
export const OfConsole = z.extend(OperatorInput, {
  sites: z.optional(
    z.nullable(z.array(z.uuid()).check(z.minLength(1, 'must be all, or at least one of them'))),
  ),
})

export const ROLES = [
  { value: 'viewer', text: 'Viewer: reads everything' },
  { value: 'editor', text: 'Editor: also writes content and sends events' },
  { value: 'admin', text: 'Admin: also writes sites, keys, webhooks and people' },
]
export const ROLE_NAMES = { viewer: 'Viewer', editor: 'Editor', admin: 'Admin' }

export const isAdmin = (c: Http) => isAllowed(c.get('person'), 'admin')

/** The errors of fields that the database finds. The console asks about schedules on a page of its own. */
export const TAKEN: Partial<Record<ErrorCode, Errors>> = {
  schedules_undecided: { schedules: 'must be kept or cancelled' },
  operator_exists: { name: 'is that of another person' },
  last_admin: {
    role: 'must stay admin, since no other can sign in: make somebody else an admin first, with a token',
  },
}

export const readPerson = (c: Http) => getOperator(c.get('ctx'), idOf(c, 'operatorId', 'operator_not_found'))
