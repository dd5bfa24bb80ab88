/** `/operators`, and `/operator` for the caller. */
import { zValidator } from '@hono/zod-validator'
import * as z from 'zod/mini'
import { roles } from '../../src/db/schema.ts'
import { getCreatedItems, MadeByOperator, scheduleChoices } from '../../src/people/access-loss.ts'
import { Erasure, erasePerson } from '../../src/people/erasure.ts'
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
import { getPersonalData, PersonalData } from '../../src/people/personal-data.ts'
import type { Operation } from '../http/document.ts'
import { createApp, type Http } from '../http/env.ts'
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
  404: errorResponse('The operator or its resource was not found'),
})
const nameTaken = (or = '') => ({ 409: errorResponse(`Another operator has this name${or}`) })

/** Has its own example, because the example recorder runs with OPERATOR_TOKEN. */
const lastAdmin = () => {
  const { content, ...answer } = errorResponse('The operator is the last admin, or `schedules` is missing')
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
  summary: 'Get the operator of the current token',
  description: '`id` is null for the `OPERATOR_TOKEN` of the deployment, which has the role `admin`.',
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
    'Includes their tokens and sign-in links, with the last four characters only. Operators limited to some sites see only themselves.',
  responses: { 200: pageResponse(Operator, 'All operators'), ...commonErrors },
})

operators.get('/operators', async (c) => c.json({ items: await listOperators(c.get('ctx')), next: null }))

export const addOperatorOperation = (): Operation => ({
  route: 'POST /operators',
  operationId: 'addOperator',
  summary: 'Add an operator',
  description:
    'Roles: a viewer can read everything. An editor can also write posts, guides and training rows, and send events. An admin can also write sites, keys, webhooks and operators. `sites` limits a viewer or editor to these sites: others are 404 and not listed. Behind Cloudflare Access, `name` is the email address that signs in.',
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
  description: 'Includes its tokens and sign-in links.',
  responses: { 200: jsonResponse(Operator, 'The operator'), ...operatorErrors() },
})

operators.get(OPERATOR, async (c) => c.json(await getOperator(c.get('ctx'), operatorIdOf(c))))

export const getMadeByOperatorOperation = (): Operation => ({
  route: `GET ${OPERATOR}/made`,
  operationId: 'getMadeByOperator',
  summary: 'List what ends when an operator is removed',
  description:
    'Returns the drafts that the operator scheduled, the preview links that it created, and how many tokens it created for others. They end when the operator is removed or loses the right to create them. For schedules, the `schedules` parameter of the removal decides.',
  responses: {
    200: jsonResponse(MadeByOperator, 'Active schedules, preview links and tokens that the operator created'),
    ...operatorErrors(),
  },
})

operators.get(`${OPERATOR}/made`, async (c) => c.json(await getCreatedItems(c.get('ctx'), operatorIdOf(c))))

const OperatorChanges = z.partial(OperatorInput)

const ScheduleQuery = z.object({
  schedules: oneOfParam(scheduleChoices, {
    description:
      'Required if drafts that the operator scheduled would lose their editor. `keep` publishes them in your name. `cancel` leaves them as drafts',
  }),
})

const SCHEDULES_DECIDED =
  ' Its preview links for posts that it may no longer edit end at once. If it is no longer an admin, so do tokens that it created for others. `schedules` decides about drafts that it scheduled.'

export const updateOperatorOperation = (): Operation => ({
  route: `PATCH ${OPERATOR}`,
  operationId: 'updateOperator',
  summary: "Change an operator's name, role or sites",
  description: `Takes effect from the operator's next request on. While \`OPERATOR_TOKEN\` is off, the last admin who can sign in cannot lose the role.${SCHEDULES_DECIDED}`,
  query: ScheduleQuery,
  body: OperatorChanges,
  responses: {
    200: jsonResponse(Operator, 'The updated operator'),
    ...operatorErrors(),
    ...bodyErrors,
    ...nameTaken(', this is the last admin, or `schedules` is missing'),
  },
})

operators.patch(
  OPERATOR,
  zValidator('query', ScheduleQuery, refuseInvalid),
  zValidator('json', OperatorChanges, refuseInvalid),
  async (c) =>
    c.json(await updateOperator(c.get('ctx'), operatorIdOf(c), c.req.valid('json'), c.req.valid('query'))),
)

export const removeOperatorOperation = (): Operation => ({
  route: `DELETE ${OPERATOR}`,
  operationId: 'removeOperator',
  summary: 'Remove an operator',
  description: `Its sessions, its tokens and the tokens created with them end at once. The audit log keeps its name. While \`OPERATOR_TOKEN\` is off, the last admin who can sign in cannot be removed.${SCHEDULES_DECIDED}`,
  query: ScheduleQuery,
  responses: { 204: noContentResponse, 400: invalidInputResponse, ...operatorErrors(), ...lastAdmin() },
})

operators.delete(OPERATOR, zValidator('query', ScheduleQuery, refuseInvalid), async (c) => {
  await removeOperator(c.get('ctx'), operatorIdOf(c), c.req.valid('query'))
  return c.body(null, 204)
})

export const getPersonalDataOperation = (): Operation => ({
  route: `GET ${OPERATOR}/personal-data`,
  operationId: 'getPersonalData',
  summary: 'Get what is stored about a person',
  description:
    'For a present or removed operator, without the operator itself, its sessions and the audit log, which have routes of their own. `operator export-person` of the command line puts them together.',
  responses: { 200: jsonResponse(PersonalData, 'The data'), ...operatorErrors() },
})

operators.get(`${OPERATOR}/personal-data`, async (c) =>
  c.json(await getPersonalData(c.get('ctx'), operatorIdOf(c))),
)

export const erasePersonOperation = (): Operation => ({
  route: `PUT ${OPERATOR}/erasure`,
  operationId: 'erasePerson',
  summary: 'Erase the name of a removed operator',
  description:
    'Removes the name and the addresses of a removed operator from the audit log, posts, preview links and imports. What they did stays, in the log under their id. No `updatedAt` and no ETag of `/api/v1` changes.',
  responses: {
    200: jsonResponse(Erasure, 'What was erased'),
    ...operatorErrors(),
    ...bodyErrors,
    409: errorResponse('The operator is not removed'),
  },
})

operators.put(`${OPERATOR}/erasure`, async (c) => c.json(await erasePerson(c.get('ctx'), operatorIdOf(c))))

export const createTokenOperation = (): Operation => ({
  route: `POST ${TOKENS}`,
  operationId: 'createToken',
  summary: 'Create an operator token',
  description:
    'The token works for the management API, the command line and the console. It expires after 90 days or at `expiresAt`, but no later than the token that creates it. It is revoked with that token. Only a hash is stored. Admins can create tokens for all operators, others only for themselves.',
  body: TokenInput,
  responses: {
    201: jsonResponse(
      z.extend(OperatorToken, { token: z.string() }).register(z.globalRegistry, { id: 'NewOperatorToken' }),
      'The token, shown only once',
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
  summary: 'Revoke an operator token',
  description:
    'The token and all tokens created with it are refused from the next request on. Sessions that were signed in with them end.',
  responses: { 200: jsonResponse(OperatorToken, 'The token'), ...operatorErrors(), ...bodyErrors },
})

operators.put(REVOCATION, async (c) =>
  c.json(await revokeToken(c.get('ctx'), operatorIdOf(c), idOf(c, 'tokenId', 'token_not_found'))),
)
