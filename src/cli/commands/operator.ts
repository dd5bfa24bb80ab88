import { type Command, Option } from 'commander'
import { type Api, path } from '../client.ts'
import { verb } from '../command.ts'
import { Failure } from '../failure.ts'
import type { Io } from '../io.ts'
import { fieldLines, list } from '../output.ts'

type Token = {
  id: string
  lastFour: string
  expiresAt: string
  revokedAt: string | null
  lastUsedAt: string | null
}
type Operator = { id: string; name: string; role: string; createdAt: string; tokens: Token[] }
type NewToken = Token & { token: string }

const role = () => new Option('--role <role>', 'what they may').choices(['viewer', 'editor', 'admin'])
const expiresAt = () =>
  new Option(
    '--expires-at <time>',
    'RFC 3339 date-time within a year, and before HCA_TOKEN expires; after 90 days if left out',
  )

/** Adds `operator add|list|update|remove|token|revoke|self`. */
export function addOperator(program: Command, io: Io): void {
  const noun = program.command('operator').description('people and programs that write, and their tokens')

  verb<{ role: string; expiresAt?: string; withoutToken?: boolean }>(
    io,
    noun,
    'add <name>',
    'add an operator with a token, which is shown this once',
    async (api, [name = ''], flags) => {
      const operator = await api<Operator>('POST', '/operators', { name, role: flags.role })
      if (flags.withoutToken) return { json: operator, text: `Added ${operator.name}, ${operator.role}` }
      const created = await create(api, operator, flags.expiresAt)
      return { json: { ...operator, tokens: [created] }, text: newToken(operator, created) }
    },
    [
      role().makeOptionMandatory(),
      expiresAt(),
      new Option('--without-token', 'behind Cloudflare Access the address alone signs in to the console'),
    ],
  )

  verb(io, noun, 'list', 'list operators, by name', async (api) => {
    const operators = await listOperators(api)
    const columns = {
      name: (operator: Operator) => operator.name,
      role: (operator: Operator) => operator.role,
      tokens: ({ tokens }: Operator) =>
        tokens
          .filter(isLive)
          .map(({ lastFour, expiresAt }) => `…${lastFour} until ${expiresAt}`)
          .join(', '),
      id: (operator: Operator) => operator.id,
    }
    return list(operators, columns, 'No operators yet: only OPERATOR_TOKEN is taken')
  })

  verb<{ role?: string; name?: string }>(
    io,
    noun,
    'update <operator>',
    'change the role or the name of an operator, by name or id',
    async (api, [named = ''], { role, name }) => {
      if (!role && !name) throw new Failure('Nothing to change: give at least one flag')
      const { id } = await find(api, named)
      const operator = await api<Operator>('PATCH', path`/operators/${id}`, { role, name })
      return { json: operator, text: `${operator.name} is ${operator.role}` }
    },
    [role(), new Option('--name <name>', 'another name')],
  )

  verb(
    io,
    noun,
    'remove <operator>',
    'remove an operator with its tokens, by name or id',
    async (api, [named = '']) => {
      const { id, name } = await find(api, named)
      await api('DELETE', path`/operators/${id}`)
      return { json: { removed: id }, text: `Removed ${name}` }
    },
  )

  verb<{ expiresAt?: string }>(
    io,
    noun,
    'token <operator>',
    'create another token; it is shown this once',
    async (api, [named = ''], flags) => {
      const operator = await find(api, named)
      const created = await create(api, operator, flags.expiresAt)
      return { json: created, text: newToken(operator, created) }
    },
    [expiresAt()],
  )

  verb(
    io,
    noun,
    'revoke <operator> <token>',
    'revoke a token, by its last four characters or its id',
    async (api, [named = '', token = '']) => {
      const { id, name, tokens } = await find(api, named)
      const found = tokens.filter((each) => each.id === token || each.lastFour === token)
      if (found.length !== 1) {
        throw new Failure(`${name} has ${found.length === 0 ? 'no' : 'more than one'} token ${token}`)
      }
      const revoked = await api<Token>('PUT', path`/operators/${id}/tokens/${found[0]!.id}/revocation`)
      return { json: revoked, text: `Revoked …${revoked.lastFour} of ${name}` }
    },
  )

  verb(io, noun, 'self', 'show whose token this is', async (api) => {
    const self = await api<{ id: string | null; name: string; role: string }>('GET', '/operator')
    return { json: self, text: fieldLines(self) }
  })
}

const isLive = ({ revokedAt, expiresAt }: Token) => !revokedAt && Date.parse(expiresAt) > Date.now()

const create = (api: Api, { id }: Operator, expiresAt: string | undefined) =>
  api<NewToken>('POST', path`/operators/${id}/tokens`, { expiresAt })

function newToken({ name, role }: Operator, { token, expiresAt }: NewToken): string {
  return `${fieldLines({ name, role, token, expiresAt })}\nKeep the token: it is not shown again.`
}

async function listOperators(api: Api): Promise<Operator[]> {
  return (await api<{ items: Operator[] }>('GET', '/operators')).items
}

async function find(api: Api, named: string): Promise<Operator> {
  const operators = await listOperators(api)
  const found = operators.find(({ id, name }) => id === named || name.toLowerCase() === named.toLowerCase())
  if (!found) throw new Failure(`No operator is named ${JSON.stringify(named)}`)
  return found
}
