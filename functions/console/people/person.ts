import * as z from 'zod/mini'
import { isAllowed } from '../../../src/core/actor.ts'
import type { ErrorCode } from '../../../src/core/errors.ts'
import { getOperator, type Operator, OperatorInput } from '../../../src/people/operators.ts'
import type { Http } from '../../http/env.ts'
import { idOf } from '../../http/request.ts'
import type { Errors } from '../forms/form.ts'

export type Person = z.infer<typeof Operator>

export const PEOPLE = '/console/people'

/** Refuses an empty list of sites: remove the person instead. */
export const PersonInput = z.extend(OperatorInput, {
  sites: z.optional(z.nullable(z.array(z.uuid()).check(z.minLength(1, 'Choose at least one site')))),
})

export const ROLE_NAMES = { viewer: 'Viewer', editor: 'Editor', admin: 'Admin' }
export const ROLES = Object.entries(ROLE_NAMES)
export const ROLE_HINT =
  'Viewers read. Editors also edit content and send events. Admins also manage keys, webhooks, people and all sites.'

export const isAdmin = (c: Http) => isAllowed(c.get('person'), 'admin')

/** Errors of fields. The console asks about schedules on a separate page. */
export const REFUSALS: Partial<Record<ErrorCode, Errors>> = {
  schedules_undecided: { schedules: 'must be kept or cancelled' },
  operator_exists: { name: 'is already used by another person' },
  last_admin: {
    role: 'must stay admin because no other admin can sign in: first make someone else an admin, with a token',
  },
}

export async function readPerson(c: Http): Promise<Person> {
  const person = await getOperator(c.get('ctx'), idOf(c, 'operatorId', 'operator_not_found'))
  c.set('personName', person.name)
  return person
}
