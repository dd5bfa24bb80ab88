/** `/operators/{operatorId}/sign-in-links` and `/operators/{operatorId}/sessions`: console sign-in. */
import { zValidator } from '@hono/zod-validator'
import * as z from 'zod/mini'
import { getOperator } from '../../src/people/operators.ts'
import { endSessions, listSessions, Session } from '../../src/people/sessions.ts'
import { createLink, LinkInput, revokeLink, SignInLink } from '../../src/people/sign-in-links.ts'
import type { Operation } from '../http/document.ts'
import { createApp } from '../http/env.ts'
import { idOf } from '../http/request.ts'
import { errorResponse, jsonResponse } from '../http/responses.ts'
import { refuseInvalid } from '../http/validation.ts'
import { operatorErrors, operatorIdOf } from './operators.ts'
import { bodyErrors, pageResponse } from './responses.ts'

export const signIns = createApp()

const LINKS = '/operators/:operatorId/sign-in-links'
const REVOCATION = `${LINKS}/:linkId/revocation` as const
const SESSIONS = '/operators/:operatorId/sessions'

export const createSignInLinkOperation = (): Operation => ({
  route: `POST ${LINKS}`,
  operationId: 'createSignInLink',
  summary: 'Create a sign-in link for the console',
  description:
    'The link signs in once. The response contains it, unless `email` is set: then it is emailed and not shown, and revoked if it cannot be sent. It expires after a day, but no later than the token that creates it, and is revoked with that token. Opening the link does not use it up: the page has a button. Admins can create links for all operators. Others can only create links for themselves, without `email`.',
  body: LinkInput,
  responses: {
    201: jsonResponse(
      z
        .extend(SignInLink, {
          url: z.nullable(z.string()).check(z.describe('The link, shown only once. Null if it was emailed')),
        })
        .register(z.globalRegistry, { id: 'NewSignInLink' }),
      'The link',
    ),
    ...operatorErrors(),
    ...bodyErrors,
  },
})

signIns.post(LINKS, zValidator('json', LinkInput, refuseInvalid), async (c) => {
  const ctx = c.get('ctx')
  const operator = await getOperator(ctx, operatorIdOf(c))
  const consoleUrl = new URL('/console', c.req.url).href
  return c.json(await createLink(ctx, operator, { ...c.req.valid('json'), consoleUrl }), 201)
})

export const revokeSignInLinkOperation = (): Operation => ({
  route: `PUT ${REVOCATION}`,
  operationId: 'revokeSignInLink',
  summary: 'Revoke a sign-in link',
  description:
    'The link no longer works from the next request on. If it was used, its session ends, and tokens created in that session are revoked.',
  responses: { 200: jsonResponse(SignInLink, 'The link'), ...operatorErrors(), ...bodyErrors },
})

signIns.put(REVOCATION, async (c) =>
  c.json(await revokeLink(c.get('ctx'), operatorIdOf(c), idOf(c, 'linkId', 'token_not_found'))),
)

export const listSessionsOperation = (): Operation => ({
  route: `GET ${SESSIONS}`,
  operationId: 'listSessions',
  summary: 'List the open console sessions of an operator, newest first',
  description: 'Admins can list the sessions of all operators, others only their own.',
  responses: {
    200: pageResponse(Session, 'All open sessions; `next` is always null'),
    403: errorResponse("The operator's role does not allow this"),
    ...operatorErrors(),
  },
})

signIns.get(SESSIONS, async (c) => {
  const ctx = c.get('ctx')
  const { id } = await getOperator(ctx, operatorIdOf(c))
  return c.json({ items: await listSessions(ctx, id), next: null })
})

const Ended = z.object({ ended: z.int() })

export const endSessionsOperation = (): Operation => ({
  route: `DELETE ${SESSIONS}`,
  operationId: 'endSessions',
  summary: 'End all console sessions of an operator',
  description: 'The sessions end at once. The tokens of the operator stay valid and can sign in again.',
  responses: { 200: jsonResponse(Ended, 'The number of sessions that were open'), ...operatorErrors() },
})

signIns.delete(SESSIONS, async (c) => {
  const ctx = c.get('ctx')
  const { id } = await getOperator(ctx, operatorIdOf(c))
  return c.json({ ended: await endSessions(ctx, id, null) })
})

export const endSessionOperation = (): Operation => ({
  route: `DELETE ${SESSIONS}/:sessionId`,
  operationId: 'endSession',
  summary: 'End a console session of an operator',
  description: 'Takes effect from the next request on. `ended` is 0 if the session had already ended.',
  responses: {
    200: jsonResponse(Ended, 'The number of sessions that were open: 1 or 0'),
    ...operatorErrors(),
  },
})

signIns.delete(`${SESSIONS}/:sessionId`, async (c) => {
  const ctx = c.get('ctx')
  const { id } = await getOperator(ctx, operatorIdOf(c))
  return c.json({ ended: await endSessions(ctx, id, idOf(c, 'sessionId', 'session_not_found')) })
})
