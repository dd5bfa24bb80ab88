import { Option } from 'commander'
import { roles } from '../../core/enums.ts'
import type { Api } from '../../transfer/api.ts'
import { Failure } from '../../transfer/failure.ts'
import type { Schemas } from '../../transfer/routes.ts'
import { listAll } from '../client.ts'
import type { Noun, Result } from '../command.ts'
import { fieldLines, list } from '../output.ts'
import { call } from './calls.ts'

type Operator = Schemas['Operator']

const role = () => new Option('--role <role>', 'role of the operator').choices(roles)
const sites = () =>
  new Option('--sites <sites>', 'comma-separated ids, or all; other sites are hidden from them')

const sitesOf = (flag: string | undefined) =>
  flag === undefined ? undefined : flag === 'all' ? null : flag.split(',').map((id) => id.trim())

const expiresAt = () =>
  new Option(
    '--expires-at <time>',
    'RFC 3339 date-time within a year, and before HCA_TOKEN expires (default: in 90 days)',
  )

const schedules = () =>
  new Option(
    '--schedules <choice>',
    'drafts that they scheduled: keep publishes them in your name, cancel leaves them as drafts',
  ).choices(['keep', 'cancel'])

const COLUMNS = {
  name: (operator: Operator) => operator.name,
  role: (operator: Operator) => operator.role,
  sites: ({ sites }: Operator) => sites?.join(', ') ?? 'all',
  tokens: ({ tokens }: Operator) =>
    tokens
      .filter(isLive)
      .map(({ lastFour, expiresAt }) => `…${lastFour} until ${expiresAt}`)
      .join(', '),
  id: (operator: Operator) => operator.id,
}

export const OPERATOR: Noun = {
  name: 'operator',
  description: 'people and programs with write access, and their sign-in',
  verbs: [
    {
      usage: 'add <name>',
      description: 'add an operator with a token or a link, which is shown only once',
      flags: [
        role().makeOptionMandatory(),
        sites(),
        expiresAt(),
        new Option('--link', 'create a one-time sign-in link for the console instead of a token'),
        new Option(
          '--without-token',
          'create no token: behind Cloudflare Access, the e-mail address signs in to the console',
        ),
      ],
      async work(_io, api, [name], { role, sites, expiresAt, withoutToken, link }) {
        const operator = await api('POST /operators', [], { body: { name, role, sites: sitesOf(sites) } })
        if (link) return createLink(api, operator, undefined)
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
        return list(items, COLUMNS, 'No operators yet: only OPERATOR_TOKEN is accepted')
      },
    },
    {
      usage: 'update <operator>',
      description: 'change the role, the sites or the name of an operator, by name or id',
      flags: [role(), sites(), schedules(), new Option('--name <name>', 'new name')],
      async work(_io, api, [named = ''], { role, sites, name, schedules }) {
        if (!role && !name && sites === undefined)
          throw new Failure('Nothing to change: give at least one flag')
        const { id } = await find(api, named)
        const operator = await api('PATCH /operators/{operatorId}', [id], {
          body: { role, sites: sitesOf(sites), name },
          query: { schedules },
        })
        return {
          json: operator,
          text: `${operator.name} is ${operator.role}, sites: ${COLUMNS.sites(operator)}`,
        }
      },
    },
    {
      usage: 'remove <operator>',
      description: 'remove an operator with their tokens and preview links, by name or id',
      flags: [schedules()],
      async work(_io, api, [named = ''], { schedules }) {
        const { id, name } = await find(api, named)
        await api('DELETE /operators/{operatorId}', [id], { query: { schedules } })
        return { json: { removed: id }, text: `Removed ${name}` }
      },
    },
    {
      usage: 'erase <id>',
      description: 'erase the name and addresses of a removed operator everywhere, by id',
      async work(_io, api, [id = '']) {
        const { entries } = await api('PUT /operators/{operatorId}/erasure', [checkId(id)])
        const text = entries === 0 ? 'Already erased' : `Erased the name in ${entries} entries`
        return { json: { entries }, text }
      },
    },
    {
      usage: 'export-person <id>',
      description: 'print everything stored about a present or removed operator as JSON, by id',
      async work(_io, api, [id = '']) {
        const data = await api('GET /operators/{operatorId}/personal-data', [checkId(id)])
        const operator = (await api('GET /operators')).items.find((each) => each.id === id) ?? null
        const json = {
          operator,
          sessions: operator ? (await api('GET /operators/{operatorId}/sessions', [id])).items : [],
          ...data,
          entriesByThem: await listAll(api, 'GET /audit-log', [], { actorId: id }),
          entriesAboutThem: (await listAll(api, 'GET /audit-log', [], { resourceId: id })).map((entry) =>
            withoutOthers(entry, id),
          ),
        }
        return { json, text: JSON.stringify(json, null, 2) }
      },
    },
    {
      usage: 'made <operator>',
      description: 'list the scheduled drafts and preview links that end when an operator is removed',
      async work(_io, api, [named = '']) {
        const { id, name } = await find(api, named)
        const made = await api('GET /operators/{operatorId}/made', [id])
        return { json: made, text: madeText(name, made) }
      },
    },
    {
      usage: 'token <operator>',
      description: 'create another token, which is shown only once',
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
        const { id: tokenId } = pick(tokens, token, `${name} has`, 'token')
        const revoked = await api('PUT /operators/{operatorId}/tokens/{tokenId}/revocation', [id, tokenId])
        return { json: revoked, text: `Revoked …${revoked.lastFour} of ${name}` }
      },
    },
    {
      usage: 'link <operator>',
      description: 'create a one-time sign-in link for the console, valid for a day and shown only once',
      flags: [new Option('--mail <address>', 'send the link by e-mail instead of showing it')],
      async work(_io, api, [named = ''], { mail }) {
        return createLink(api, await find(api, named), mail)
      },
    },
    {
      usage: 'revoke-link <operator> <link>',
      description: 'revoke a link and end its session, by its last four characters or its id',
      async work(_io, api, [named = '', link = '']) {
        const { id, name, links } = await find(api, named)
        const { id: linkId } = pick(links, link, `${name} has`, 'link')
        const revoked = await api('PUT /operators/{operatorId}/sign-in-links/{linkId}/revocation', [
          id,
          linkId,
        ])
        return { json: revoked, text: `Revoked …${revoked.lastFour} of ${name}` }
      },
    },
    {
      usage: 'sessions <operator>',
      description: "list or end an operator's console sessions",
      flags: [
        new Option('--end <session>', 'end this session, by its id').conflicts('endAll'),
        new Option('--end-all', 'end all sessions'),
      ],
      async work(_io, api, [named = ''], { end, endAll }) {
        const { id, name } = await find(api, named)
        if (!end && !endAll) {
          const { items } = await api('GET /operators/{operatorId}/sessions', [id])
          return list(items, SESSION_COLUMNS, `${name} has no open sessions`)
        }
        const ended = end
          ? await api('DELETE /operators/{operatorId}/sessions/{sessionId}', [id, end])
          : await api('DELETE /operators/{operatorId}/sessions', [id])
        return { json: ended, text: `Ended ${ended.ended} sessions of ${name}` }
      },
    },
    call({
      usage: 'self',
      description: 'show the operator that the token belongs to',
      route: 'GET /operator',
      text: fieldLines,
    }),
  ],
}

const SESSION_COLUMNS = {
  session: ({ id }: Schemas['Session']) => id,
  browser: ({ browser }: Schemas['Session']) => browser,
  'signed in': ({ createdAt }: Schemas['Session']) => createdAt,
  'last seen': ({ lastSeenAt }: Schemas['Session']) => lastSeenAt,
  ends: ({ expiresAt }: Schemas['Session']) => expiresAt,
}

function madeText(name: string, made: Schemas['MadeByOperator']): string {
  const { schedules, scheduleCount, previewLinks, previewLinkCount, tokenCount } = made
  return [
    `Drafts that ${name} scheduled: ${scheduleCount}`,
    ...schedules.map(({ siteId, slug, publishAt }) => `  ${publishAt}  ${slug} (site ${siteId})`),
    `Preview links: ${previewLinkCount}`,
    ...previewLinks.map(
      ({ siteId, slug, lastFour, expiresAt }) =>
        `  …${lastFour} until ${expiresAt}  ${slug} (site ${siteId})`,
    ),
    `Tokens and sign-in links for other people: ${tokenCount}`,
  ].join('\n')
}

/** Removed people have no name to look up. */
function checkId(id: string): string {
  if (/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(id)) return id
  throw new Failure(
    `${JSON.stringify(id)} is not an ID. \`operator list\` has the IDs of operators, \`audit-log --json\` those of removed ones, as actorId and resourceId`,
  )
}

/** The name and address of an admin who changed this person are no data of this person. */
function withoutOthers({ actor, address, ...entry }: Schemas['AuditEntry'], id: string) {
  return entry.actorId === id ? { ...entry, actor, address } : entry
}

async function createLink(
  api: Api,
  { id, name, role }: Operator,
  email: string | undefined,
): Promise<Result> {
  const link = await api('POST /operators/{operatorId}/sign-in-links', [id], { body: { email } })
  const { url, expiresAt, sentTo } = link
  const text = url
    ? `${fieldLines({ name, role, link: url, expiresAt })}\nSave the link: it is not shown again.`
    : `Mailed to ${sentTo}: it signs in ${name} once, before ${expiresAt}`
  return { json: link, text }
}

/** @throws Failure unless exactly one has this id or these last four characters */
function pick<One extends { id: string; lastFour: string }>(
  all: One[],
  named: string,
  has: string,
  noun: string,
): One {
  const found = all.filter((each) => each.id === named || each.lastFour === named)
  if (found.length !== 1)
    throw new Failure(`${has} ${found.length === 0 ? 'no' : 'more than one'} ${noun} ${named}`)
  return found[0]!
}

const isLive = ({ revokedAt, expiresAt }: Schemas['OperatorToken']) =>
  !revokedAt && Date.parse(expiresAt) > Date.now()

const create = (api: Api, { id }: Operator, expiresAt: string | undefined) =>
  api('POST /operators/{operatorId}/tokens', [id], { body: { expiresAt } })

function newToken({ name, role }: Operator, { token, expiresAt }: Schemas['NewOperatorToken']): string {
  return `${fieldLines({ name, role, token, expiresAt })}\nSave the token: it is not shown again.`
}

async function find(api: Api, named: string): Promise<Operator> {
  const { items } = await api('GET /operators')
  const found = items.find(({ id, name }) => id === named || name.toLowerCase() === named.toLowerCase())
  if (!found) throw new Failure(`No operator is named ${JSON.stringify(named)}`)
  return found
}
