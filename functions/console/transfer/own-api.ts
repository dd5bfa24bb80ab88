/** The management API as a person, so that console and command line share import and export. */
import type { Actor } from '../../../src/core/actor.ts'
import { AppError } from '../../../src/core/errors.ts'
import { type Api, apiThrough } from '../../../src/transfer/api.ts'
import type { Http } from '../../http/env.ts'
import { type Running, requestAs } from '../../http/own-requests.ts'
import { findPerson } from '../sign-in/session.ts'

/** The host is never asked. */
const ORIGIN = 'https://console.invalid'

/** Asks who the person is before each request, so that a person who loses access stops. */
export function apiAs(
  running: Running,
  { requestId, changesetId }: { requestId: string; changesetId: string },
  findActor: () => Promise<Actor>,
): Api {
  return apiThrough(async (path, request) => {
    const actor = await findActor()
    const own = new Request(`${ORIGIN}/manage/v1${path}`, request)
    own.headers.set('X-Request-Id', requestId)
    return { response: await requestAs(running, { actor, changesetId }, own) }
  }, 'The service')
}

/** Each request checks the session again, so an export ends with it. */
export function ownApi(c: Http): Api {
  const running = { app: c.get('app'), env: c.env, execution: c.executionCtx as ExecutionContext }
  return apiAs(running, { requestId: c.get('requestId'), changesetId: crypto.randomUUID() }, async () => {
    const person = await findPerson(c)
    if (!person) throw new AppError('operator_refused')
    return { ...c.get('ctx').actor!, role: person.role, sites: person.sites }
  })
}
