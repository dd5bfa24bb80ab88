/** The management API as the signed-in person, so that console and command line share import and export. */
import { AppError } from '../../../src/core/errors.ts'
import { apiThrough } from '../../../src/transfer/api.ts'
import { EFFECTIVE_WITHIN } from '../../http/context.ts'
import type { Http } from '../../http/env.ts'
import { requestAs } from '../../http/own-requests.ts'
import { findPerson } from '../sign-in/session.ts'

/** All writes are one changeset in the audit log. Each request checks the session again, so an export ends with it. */
export function ownApi(c: Http) {
  const changesetId = crypto.randomUUID()
  return apiThrough(async (path, { headers, ...request }) => {
    const url = new URL(`/manage/v1${path}`, c.req.url)
    const own = new Request(url, {
      ...request,
      headers: { ...(headers as object), 'X-Changeset-Id': changesetId },
    })
    const person = await findPerson(c)
    if (!person) throw new AppError('operator_refused')
    const { role, sites } = person
    const response = await requestAs(c, { ...c.get('ctx').actor!, role, sites }, own)
    const delayed = response.headers.get(EFFECTIVE_WITHIN)
    if (delayed) c.header(EFFECTIVE_WITHIN, delayed)
    return { response }
  }, 'The service')
}
