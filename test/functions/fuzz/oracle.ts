/** The answers that a request may get, derived only from the description of its operation. */
import { type Issue, joinIssues } from '../../../src/core/errors.ts'
import { bodyFaults, type Document, type Operation, takesToken, withFields } from '../../support/openapi.ts'
import { type FuzzRequest, urlOf } from './requests.ts'

/** Valid credentials, by security scheme or as `token`, and their site. */
export type Secret = { text: string; schemes: string[]; siteId: string | null }

type Api = { root: string; document: Document; operations: Operation[] }

/** The target of a request: its API, the operations of its path, and one of them. */
type Aim = {
  api?: Api | undefined
  path: string
  operations: Operation[]
  operation?: Operation | undefined
}

/** Every API serves its document, which none describes. */
const DESCRIPTION: Operation = {
  ...{ method: 'GET', path: '/openapi.json', operationId: 'description', security: [] },
  responses: { 200: { description: 'The description', content: { 'application/json': { schema: {} } } } },
}

const MAX_ERROR_LENGTH = 8_192
/** Zod Mini's text for an issue without a message. */
const NO_RULE = 'Invalid input'
/** Only sent with a next page, when the counter was reachable, or when Redis was not. */
const OPTIONAL = /^(Link|X-RateLimit-\w+|X-Effective-Within)$/

/** The faults of the answer, a phrase each. Reads its body to the end. */
export async function answerFaults(
  request: FuzzRequest,
  response: Response,
  apis: Api[],
  secrets: Secret[],
): Promise<string[]> {
  const aim = aimOf(request, apis)
  const expected = expectedStatuses(request, aim, secrets)
  const { status, headers } = response
  return [
    ...(expected.includes(status) ? [] : [`${status} is none of ${expected}`]),
    ...(/^[\w=-]{1,255}$/.test(headers.get('X-Request-Id') ?? '') ? [] : ['has no X-Request-Id']),
    ...(status === 401 && headers.get('WWW-Authenticate') !== 'Bearer' ? ['has no WWW-Authenticate'] : []),
    ...(status === 405 && !headers.get('Allow') ? ['has no Allow'] : []),
    ...(await contentFaults(request, response, aim)),
  ]
}

function expectedStatuses(request: FuzzRequest, aim: Aim, secrets: Secret[]): number[] {
  const { api, operations, operation } = aim
  if (!api) return [404]
  const isManage = api.root === '/manage/v1'
  if (methodOf(request) === 'OPTIONS' && !isManage) return [204]
  // The management API checks the token and the body first.
  if (!operation) return [operations.length > 0 ? 405 : 404, ...(isManage ? [400, 401, 413, 429] : [])]
  const schemes = (operation.security ?? api.document.security ?? []).flatMap(Object.keys)
  if (takesToken(operation)) schemes.push('token')
  const enters = schemes.length === 0 || secrets.some((secret) => opens(secret, request, schemes, aim))
  const byToken = schemes.includes('operatorToken')
  if (!enters) return byToken ? [401, 429] : [401]
  return Object.keys(operation.responses)
    .map(Number)
    .filter((status) => status !== 500 && status !== 401 && !(byToken && status === 429))
}

/** Checks that the request has the secret in the described place, and is for its site. */
function opens({ text, schemes, siteId }: Secret, request: FuzzRequest, asked: string[], aim: Aim): boolean {
  if (!schemes.some((scheme) => asked.includes(scheme))) return false
  const at = aim.operation!.path.split('/').indexOf('{siteId}')
  if (siteId && at >= 0 && aim.path.split('/')[at]!.toLowerCase() !== siteId) return false
  const header = new Headers(request.headers).get('Authorization') ?? ''
  const bearer = /^Bearer +(\S+) *$/i.exec(header)?.[1]
  if (bearer !== undefined) return bearer === text
  const tokens = urlOf(request).searchParams.getAll('token')
  return asked.includes('token') && tokens.length === 1 && tokens[0] === text
}

async function contentFaults(
  request: FuzzRequest,
  response: Response,
  { api, operation }: Aim,
): Promise<string[]> {
  const { status, headers } = response
  const bare = /^head$/i.test(request.method) || status === 204 || status === 304
  if (bare) return (await response.text()) === '' ? [] : ['has a body']
  if (status >= 400) {
    const faults = await errorFaults(response.clone(), api?.root === '/manage/v1')
    if (faults.length > 0) return faults
  }
  const described = operation?.responses[status]
  if (!api || !described) return (await response.text()) === '' ? ['has no body'] : []
  const isPartial = urlOf(request).searchParams.has('fields')
  const missing = Object.keys(described.headers ?? {}).filter(
    (name) => !OPTIONAL.test(name) && !headers.has(name),
  )
  return [
    ...missing.map((name) => `lacks ${name}`),
    ...(await bodyFaults(response, isPartial ? withFields(described) : described, api.document.components)),
  ]
}

async function errorFaults(response: Response, isOfManage: boolean): Promise<string[]> {
  if (!/^application\/json(;|$)/.test(response.headers.get('Content-Type') ?? '')) return ['is no JSON']
  const { issues, ...body } = await response.json<{ error: unknown; issues?: Issue[] }>()
  if (Object.keys(body).join() !== 'error' || typeof body.error !== 'string')
    return ['is not {error: string}']
  if (issues && (!isOfManage || body.error !== `Invalid body: ${joinIssues(issues)}`))
    return ['has issues that are not those of its text']
  if (body.error.trim() === '') return ['says nothing']
  if (body.error.includes(NO_RULE)) return ['names no rule']
  return body.error.length > MAX_ERROR_LENGTH ? [`says it in ${body.error.length} characters`] : []
}

function aimOf(request: FuzzRequest, apis: Api[]): Aim {
  const pathname = decoded(urlOf(request).pathname)
  const api = apis.find(({ root }) => pathname === root || pathname.startsWith(`${root}/`))
  const path = pathname.slice(api?.root.length)
  const operations = api ? [...api.operations, DESCRIPTION].filter((each) => matches(each.path, path)) : []
  const method = methodOf(request) === 'HEAD' ? 'GET' : methodOf(request)
  return { api, path, operations, operation: operations.find((each) => each.method === method) }
}

const methodOf = ({ method }: FuzzRequest) => method.toUpperCase()

function matches(template: string, path: string): boolean {
  const [wanted, given] = [template.split('/'), path.split('/')]
  if (wanted.length !== given.length) return false
  return wanted.every((segment, at) => (segment.startsWith('{') ? given[at] !== '' : segment === given[at]))
}

/** Decodes a path like a router, except for characters that would change its segments. */
function decoded(path: string): string {
  return path.replace(/(?:%[0-9a-f]{2})+/gi, (run) => {
    try {
      return decodeURI(run)
    } catch {
      return run
    }
  })
}
