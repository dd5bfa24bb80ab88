/** `/operators/{operatorId}/sign-in-links` and `/operators/{operatorId}/sessions`: console sign-in. */
import { zValidator } from '@hono/zod-validator'
import * as z from 'zod/mini'
import { getOperator } from '../../src/people/operators.ts'
import { endSessions, listSessions, Session } from '../../src/people/sessions.ts'
import { createLink, LinkInput, revokeLink, SignInLink } from '../../src/people/sign-in-links.ts'
import { createApp } from '../http/create-app.ts'
import type { Operation } from '../http/document.ts'
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
  summary: 'Create a link that signs an operator in to the console, once',
  description:
    'To hand over, or with `email` mailed, and then not shown; if it cannot be mailed, it is revoked. It lives for a day, and never longer than the token that makes it, with which it is revoked. Opening it uses nothing up: its page has a button. An admin may for everybody, the others for themselves, without `email`.',
  body: LinkInput,
  responses: {
    201: jsonResponse(
      z
        .extend(SignInLink, {
          url: z.nullable(z.string()).check(z.describe('The link, shown this once; null if it was mailed')),
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
  summary: 'Revoke a link that signs in',
  description:
    'It signs in nobody from the next request on, and if it was used, the session that it began ends, with the tokens made in it.',
  responses: { 200: jsonResponse(SignInLink, 'The link'), ...operatorErrors(), ...bodyErrors },
})

signIns.put(REVOCATION, async (c) =>
  c.json(await revokeLink(c.get('ctx'), operatorIdOf(c), idOf(c, 'linkId', 'token_not_found'))),
)

export const listSessionsOperation = (): Operation => ({
  route: `GET ${SESSIONS}`,
  operationId: 'listSessions',
  summary: 'List the open sessions of an operator in the console, newest first',
  description: 'An admin may for everybody, the others for themselves.',
  responses: {
    200: pageResponse(Session, 'All open sessions; `next` is always null'),
    403: errorResponse("The operator's role does not allow it"),
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
  summary: 'Sign an operator out of the console everywhere',
  description: 'All its sessions end at once. Its tokens stay, and sign in again.',
  responses: { 200: jsonResponse(Ended, 'How many were open'), ...operatorErrors() },
})

signIns.delete(SESSIONS, async (c) => {
  const ctx = c.get('ctx')
  const { id } = await getOperator(ctx, operatorIdOf(c))
  return c.json({ ended: await endSessions(ctx, id, null) })
})

export const endSessionOperation = (): Operation => ({
  route: `DELETE ${SESSIONS}/:sessionId`,
  operationId: 'endSession',
  summary: 'End a session of an operator in the console',
  description: 'From its next request on. `ended` is 0 if it was over already.',
  responses: { 200: jsonResponse(Ended, 'How many were open: one, or none'), ...operatorErrors() },
})

signIns.delete(`${SESSIONS}/:sessionId`, async (c) => {
  const ctx = c.get('ctx')
  const { id } = await getOperator(ctx, operatorIdOf(c))
  return c.json({ ended: await endSessions(ctx, id, idOf(c, 'sessionId', 'session_not_found')) })
})
