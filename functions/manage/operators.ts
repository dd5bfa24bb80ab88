/** `/operators`, and `/operator` for the caller. */
import { zValidator } from '@hono/zod-validator'
import * as z from 'zod/mini'
import { roles } from '../../src/db/schema.ts'
import { getMade, MadeByOperator, scheduleChoices } from '../../src/people/departures.ts'
import { createToken, OperatorToken, revokeToken, TokenInput } from '../../src/people/operator-tokens.ts'
import {
  addOperator,
  getOperator,
  listOperators,
  Operator,
  OperatorInput,
  removeOperator,
  updateOperator,
} from '../../src/people/operators.ts'
import { createApp } from '../http/create-app.ts'
import type { Operation } from '../http/document.ts'
import type { Http } from '../http/env.ts'
import { textOf } from '../http/errors.ts'
import { oneOfParam } from '../http/query.ts'
import { idOf } from '../http/request.ts'
import { errorResponse, invalidInputResponse, jsonResponse } from '../http/responses.ts'
import { refuseInvalid } from '../http/validation.ts'
import { bodyErrors, commonErrors, noContentResponse, pageResponse } from './responses.ts'

export const operators = createApp()

export const operatorIdOf = (c: Http) => idOf(c, 'operatorId', 'operator_not_found')

const OPERATOR = '/operators/:operatorId'
const TOKENS = `${OPERATOR}/tokens` as const
const REVOCATION = `${TOKENS}/:tokenId/revocation` as const

export const operatorErrors = () => ({
  ...commonErrors,
  404: errorResponse('The operator, or what the path names of it, does not exist'),
})
const nameTaken = (or = '') => ({ 409: errorResponse(`Another operator has that name${or}`) })

/** Has its own example, because the example recorder runs with OPERATOR_TOKEN. */
const lastAdmin = () => {
  const { content, ...answer } = errorResponse('It is the last admin, or `schedules` is missing')
  const json = { ...content!['application/json']!, example: { error: textOf('last_admin') } }
  return { 409: { ...answer, content: { 'application/json': json } } }
}

const Self = z.object({
  id: z.nullable(z.uuid()),
  name: z.string(),
  role: z.enum(roles),
  sites: z.nullable(z.array(z.uuid())),
})

export const getSelfOperation = (): Operation => ({
  route: 'GET /operator',
  operationId: 'getSelf',
  summary: 'Say whose token this is',
  description: 'The `id` is null for the `OPERATOR_TOKEN` of the deployment, which is an admin.',
  responses: { 200: jsonResponse(Self, 'The operator'), ...commonErrors },
})

operators.get('/operator', (c) => {
  const { id, name, role, sites } = c.get('ctx').actor!
  return c.json({ id, name, role, sites })
})

export const listOperatorsOperation = (): Operation => ({
  route: 'GET /operators',
  operationId: 'listOperators',
  summary: 'List operators, by name',
  description:
    'With their tokens and links, of which only the last four characters are known. Whoever reaches some sites only gets nobody else.',
  responses: { 200: pageResponse(Operator, 'All operators'), ...commonErrors },
})

operators.get('/operators', async (c) => c.json({ items: await listOperators(c.get('ctx')), next: null }))

export const addOperatorOperation = (): Operation => ({
  route: 'POST /operators',
  operationId: 'addOperator',
  summary: 'Add an operator',
  description:
    'A viewer reads all; an editor also writes posts, guides and training rows and sends events; an admin also writes sites, keys, webhooks and operators. With `sites` a viewer or editor reaches those alone: all others are 404, and in no list. Behind Cloudflare Access the name is the address that signs in.',
  body: OperatorInput,
  responses: {
    201: jsonResponse(Operator, 'The operator'),
    ...commonErrors,
    ...bodyErrors,
    ...nameTaken(),
  },
})

operators.post('/operators', zValidator('json', OperatorInput, refuseInvalid), async (c) =>
  c.json(await addOperator(c.get('ctx'), c.req.valid('json')), 201),
)

export const getOperatorOperation = (): Operation => ({
  route: `GET ${OPERATOR}`,
  operationId: 'getOperator',
  summary: 'Get an operator',
  description: 'With its tokens, and the links that sign it in.',
  responses: { 200: jsonResponse(Operator, 'The operator'), ...operatorErrors() },
})

operators.get(OPERATOR, async (c) => c.json(await getOperator(c.get('ctx'), operatorIdOf(c))))

export const getMadeByOperatorOperation = (): Operation => ({
  route: `GET ${OPERATOR}/made`,
  operationId: 'getMadeByOperator',
  summary: 'Get what ends when an operator is removed',
  description:
    'The drafts that it has scheduled, the links to posts that it made, and how many tokens it made for others. They end once the operator is removed or may not make them any more; about schedules, `schedules` of the removal decides.',
  responses: {
    200: jsonResponse(MadeByOperator, 'What it made and what still has effect'),
    ...operatorErrors(),
  },
})

operators.get(`${OPERATOR}/made`, async (c) => c.json(await getMade(c.get('ctx'), operatorIdOf(c))))

const OperatorChanges = z.partial(OperatorInput)

const Departure = z.object({
  schedules: oneOfParam(scheduleChoices, {
    description:
      'Required where drafts that it has scheduled would lose their editor. `keep`: they are published in the name of whoever sends this request. `cancel`: they stay drafts',
  }),
})

const SCHEDULES_DECIDED =
  ' Links to drafts that it made where it may not edit any more end at once, and so do tokens that it made for others once it is no admin. With scheduled drafts there, `schedules` says what becomes of them.'

export const updateOperatorOperation = (): Operation => ({
  route: `PATCH ${OPERATOR}`,
  operationId: 'updateOperator',
  summary: "Change an operator's name, role or sites",
  description: `From its next request on. The last admin who can sign in keeps the role while \`OPERATOR_TOKEN\` is off.${SCHEDULES_DECIDED}`,
  query: Departure,
  body: OperatorChanges,
  responses: {
    200: jsonResponse(Operator, 'The operator as it is now'),
    ...operatorErrors(),
    ...bodyErrors,
    ...nameTaken(', this is the last admin, or `schedules` is missing'),
  },
})

operators.patch(
  OPERATOR,
  zValidator('query', Departure, refuseInvalid),
  zValidator('json', OperatorChanges, refuseInvalid),
  async (c) =>
    c.json(await updateOperator(c.get('ctx'), operatorIdOf(c), c.req.valid('json'), c.req.valid('query'))),
)

export const removeOperatorOperation = (): Operation => ({
  route: `DELETE ${OPERATOR}`,
  operationId: 'removeOperator',
  summary: 'Remove an operator',
  description: `Its tokens, those made with them, and its sessions end at once. The audit log keeps its name. The last admin who can sign in cannot be removed while \`OPERATOR_TOKEN\` is off.${SCHEDULES_DECIDED}`,
  query: Departure,
  responses: { 204: noContentResponse, 400: invalidInputResponse, ...operatorErrors(), ...lastAdmin() },
})

operators.delete(OPERATOR, zValidator('query', Departure, refuseInvalid), async (c) => {
  await removeOperator(c.get('ctx'), operatorIdOf(c), c.req.valid('query'))
  return c.body(null, 204)
})

export const createTokenOperation = (): Operation => ({
  route: `POST ${TOKENS}`,
  operationId: 'createToken',
  summary: 'Create a token of an operator',
  description:
    'For the management API, the command line and the console. It expires after 90 days unless `expiresAt` says otherwise, and never after the token that makes it, with which it is revoked. It is stored as a hash. An admin may for everybody, the others for themselves.',
  body: TokenInput,
  responses: {
    201: jsonResponse(
      z.extend(OperatorToken, { token: z.string() }).register(z.globalRegistry, { id: 'NewOperatorToken' }),
      'The token, shown this once',
    ),
    ...operatorErrors(),
    ...bodyErrors,
  },
})

operators.post(TOKENS, zValidator('json', TokenInput, refuseInvalid), async (c) =>
  c.json(await createToken(c.get('ctx'), operatorIdOf(c), c.req.valid('json')), 201),
)

export const revokeTokenOperation = (): Operation => ({
  route: `PUT ${REVOCATION}`,
  operationId: 'revokeToken',
  summary: 'Revoke a token',
  description:
    'It is refused from the next request on, with all tokens made with it, and the sessions that they signed in end.',
  responses: { 200: jsonResponse(OperatorToken, 'The token'), ...operatorErrors(), ...bodyErrors },
})

operators.put(REVOCATION, async (c) =>
  c.json(await revokeToken(c.get('ctx'), operatorIdOf(c), idOf(c, 'tokenId', 'token_not_found'))),
)
