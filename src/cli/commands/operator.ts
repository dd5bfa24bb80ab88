import { Option } from 'commander'
import { roles } from '../../foundation/enums.ts'
import type { Api } from '../client.ts'
import type { Noun } from '../command.ts'
import { Failure } from '../failure.ts'
import { fieldLines, list } from '../output.ts'
import type { Schemas } from '../routes.ts'
import { call } from './calls.ts'

type Operator = Schemas['Operator']

const role = () => new Option('--role <role>', 'what they may do').choices(roles)
const expiresAt = () =>
  new Option(
    '--expires-at <time>',
    'RFC 3339 date-time within a year, and before HCA_TOKEN expires; after 90 days if left out',
  )

const COLUMNS = {
  name: (operator: Operator) => operator.name,
  role: (operator: Operator) => operator.role,
  tokens: ({ tokens }: Operator) =>
    tokens
      .filter(isLive)
      .map(({ lastFour, expiresAt }) => `…${lastFour} until ${expiresAt}`)
      .join(', '),
  id: (operator: Operator) => operator.id,
}

export const OPERATOR: Noun = {
  name: 'operator',
  description: 'people and programs that write, and their tokens',
  verbs: [
    {
      usage: 'add <name>',
      description: 'add an operator with a token, which is shown this once',
      flags: [
        role().makeOptionMandatory(),
        expiresAt(),
        new Option('--without-token', 'behind Cloudflare Access the address alone signs in to the console'),
      ],
      async work(_io, api, [name], { role, expiresAt, withoutToken }) {
        const operator = await api('POST /operators', [], { body: { name, role } })
        if (withoutToken) return { json: operator, text: `Added ${operator.name}, ${operator.role}` }
        const created = await create(api, operator, expiresAt)
        return { json: { ...operator, tokens: [created] }, text: newToken(operator, created) }
      },
    },
    {
      usage: 'list',
      description: 'list operators, by name',
      async work(_io, api) {
        const { items } = await api('GET /operators')
        return list(items, COLUMNS, 'No operators yet: only OPERATOR_TOKEN is taken')
      },
    },
    {
      usage: 'update <operator>',
      description: 'change the role or the name of an operator, by name or id',
      flags: [role(), new Option('--name <name>', 'another name')],
      async work(_io, api, [named = ''], { role, name }) {
        if (!role && !name) throw new Failure('Nothing to change: give at least one flag')
        const { id } = await find(api, named)
        const operator = await api('PATCH /operators/{operatorId}', [id], { body: { role, name } })
        return { json: operator, text: `${operator.name} is ${operator.role}` }
      },
    },
    {
      usage: 'remove <operator>',
      description: 'remove an operator with its tokens, by name or id',
      async work(_io, api, [named = '']) {
        const { id, name } = await find(api, named)
        await api('DELETE /operators/{operatorId}', [id])
        return { json: { removed: id }, text: `Removed ${name}` }
      },
    },
    {
      usage: 'token <operator>',
      description: 'create another token; it is shown this once',
      flags: [expiresAt()],
      async work(_io, api, [named = ''], { expiresAt }) {
        const operator = await find(api, named)
        const created = await create(api, operator, expiresAt)
        return { json: created, text: newToken(operator, created) }
      },
    },
    {
      usage: 'revoke <operator> <token>',
      description: 'revoke a token, by its last four characters or its id',
      async work(_io, api, [named = '', token = '']) {
        const { id, name, tokens } = await find(api, named)
        const found = tokens.filter((each) => each.id === token || each.lastFour === token)
        if (found.length !== 1) {
          throw new Failure(`${name} has ${found.length === 0 ? 'no' : 'more than one'} token ${token}`)
        }
        const revoked = await api('PUT /operators/{operatorId}/tokens/{tokenId}/revocation', [
          id,
          found[0]!.id,
        ])
        return { json: revoked, text: `Revoked …${revoked.lastFour} of ${name}` }
      },
    },
    call({
      usage: 'self',
      description: 'show whose token this is',
      route: 'GET /operator',
      text: fieldLines,
    }),
  ],
}

const isLive = ({ revokedAt, expiresAt }: Schemas['OperatorToken']) =>
  !revokedAt && Date.parse(expiresAt) > Date.now()

const create = (api: Api, { id }: Operator, expiresAt: string | undefined) =>
  api('POST /operators/{operatorId}/tokens', [id], { body: { expiresAt } })

function newToken({ name, role }: Operator, { token, expiresAt }: Schemas['NewOperatorToken']): string {
  return `${fieldLines({ name, role, token, expiresAt })}\nKeep the token: it is not shown again.`
}

async function find(api: Api, named: string): Promise<Operator> {
  const { items } = await api('GET /operators')
  const found = items.find(({ id, name }) => id === named || name.toLowerCase() === named.toLowerCase())
  if (!found) throw new Failure(`No operator is named ${JSON.stringify(named)}`)
  return found
}
