/**
 * https://modelcontextprotocol.io/specification. Versions up to 2025-11-25 start with `initialize`. Since 2026-07-28 each request
 * has its version in `_meta` and, with its method and tool name, in headers.
 */
import type { Http } from '../http/env.ts'

export const HANDSHAKE_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26']
const STATELESS_VERSION = '2026-07-28'
/** Also the default for requests without the version header, which later versions require. */
const BATCH_VERSION = '2025-03-26'
/** Each tool call may return 1 MiB. */
const MAX_BATCH = 10
export const VERSIONS = [STATELESS_VERSION, ...HANDSHAKE_VERSIONS]

export const SERVER = { name: 'headless-content-api', title: 'Headless Content API', version: '1.0.0' }

const META = 'io.modelcontextprotocol'
const PARSE_ERROR = -32700
const INVALID_REQUEST = -32600
const METHOD_NOT_FOUND = -32601
const INVALID_PARAMS = -32602
const HEADER_MISMATCH = -32020
const UNSUPPORTED_VERSION = -32022

type Id = string | number

/** A message without an `id` is a notification or a client response, and gets no reply. */
export type Message = {
  id: Id | null
  method: string
  params: Record<string, unknown>
  isStateless: boolean
}

export type Failure = {
  status: 200 | 400 | 404 | 406 | 415
  id: Id | null
  code: number
  message: string
  data?: unknown
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const isFailure = (read: Message | Failure): read is Failure => 'code' in read

const failure = (
  status: Failure['status'],
  code: number,
  message: string,
  id: Id | null = null,
): Failure => ({ status, id, code, message })

export const invalidParams = ({ id }: Message, message: string) => failure(200, INVALID_PARAMS, message, id)

/** Since 2026-07-28 the HTTP status shows the error, too. */
export const unknownMethod = ({ id, method, isStateless }: Message) =>
  failure(isStateless ? 404 : 200, METHOD_NOT_FOUND, `Method not found: ${method.slice(0, 100)}`, id)

export const invalidRequest = (message: string, id: Id | null = null) =>
  failure(400, INVALID_REQUEST, `Invalid request: ${message}`, id)

export async function readBody(c: Http): Promise<Message | Failure | (Message | Failure)[]> {
  const refused = refuseHeaders(c)
  if (refused) return refused
  const bytes = await c.req.arrayBuffer()
  let body: unknown
  try {
    body = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes))
  } catch (error) {
    return failure(400, PARSE_ERROR, `Parse error: must be JSON in UTF-8: ${(error as Error).message}`)
  }
  if (!Array.isArray(body)) return toMessage(c, body)
  if ((c.req.header('MCP-Protocol-Version') ?? BATCH_VERSION) !== BATCH_VERSION)
    return invalidRequest('batches are not supported, send each message by itself')
  if (body.length === 0 || body.length > MAX_BATCH)
    return invalidRequest(`a batch must have 1 to ${MAX_BATCH} messages`)
  return body.map((each) => toMessage(c, each))
}

function refuseHeaders(c: Http): Failure | null {
  if (!/^application\/json\s*(;|$)/i.test(c.req.header('Content-Type') ?? ''))
    return failure(415, INVALID_REQUEST, 'Content-Type must be application/json')
  if (!acceptsJson(c) && !acceptsStream(c))
    return failure(406, INVALID_REQUEST, 'Accept must allow application/json or text/event-stream')
  return null
}

const acceptOf = (c: Http) => c.req.header('Accept') || '*/*'

const acceptsJson = (c: Http) =>
  /(^|[,\s])(application\/json|application\/\*|\*\/\*)\s*(;|,|$)/i.test(acceptOf(c))

const acceptsStream = (c: Http) => /(^|[,\s])text\/(event-stream|\*)\s*(;|,|$)/i.test(acceptOf(c))

function toMessage(c: Http, body: unknown): Message | Failure {
  if (!isObject(body) || body.jsonrpc !== '2.0') return invalidRequest('jsonrpc must be "2.0"')
  const { id, method } = body
  // Some clients send null instead of leaving it out.
  const params = body.params ?? {}
  const isResponse = method === undefined && ('result' in body || 'error' in body)
  if (!isResponse && (typeof method !== 'string' || method === ''))
    return invalidRequest('method must be a string')
  if ('id' in body && typeof id !== 'string' && !Number.isSafeInteger(id))
    return invalidRequest('id must be a string or an integer')
  if (!isObject(params)) return invalidRequest('params must be an object')
  const message = {
    id: isResponse || id === undefined ? null : (id as Id),
    method: isResponse ? '' : (method as string),
    params,
    isStateless: false,
  }
  const version = versionOf(c, message)
  return typeof version === 'boolean' ? { ...message, isStateless: version } : { ...version, id: message.id }
}

/** True if the version has no handshake. */
function versionOf(c: Http, { id, method, params }: Message): boolean | Failure {
  const header = c.req.header('MCP-Protocol-Version')
  const meta = isObject(params._meta) ? params._meta : {}
  const declared = meta[`${META}/protocolVersion`]
  const requested = declared ?? header
  if (requested === undefined) return false
  if (typeof requested !== 'string' || !VERSIONS.includes(requested)) {
    const data = {
      supported: VERSIONS,
      requested: typeof requested === 'string' ? requested.slice(0, 100) : null,
    }
    return { ...failure(400, UNSUPPORTED_VERSION, 'Unsupported protocol version'), data }
  }
  const isStateless = requested === STATELESS_VERSION
  // This version defines no client notifications and no headers for them.
  if (!isStateless || id === null) return isStateless
  const mismatch = (name: string) =>
    failure(400, HEADER_MISMATCH, `Header mismatch: ${name} must match the body`)
  if (declared === undefined || !isObject(meta[`${META}/clientCapabilities`]))
    return failure(
      400,
      INVALID_PARAMS,
      `params._meta must have ${META}/protocolVersion and ${META}/clientCapabilities`,
    )
  if (header !== declared) return mismatch('MCP-Protocol-Version')
  if (c.req.header('Mcp-Method') !== method) return mismatch('Mcp-Method')
  if (method === 'tools/call' && decoded(c.req.header('Mcp-Name')) !== params.name)
    return mismatch('Mcp-Name')
  return true
}

/** `=?base64?…?=` is for values that a header cannot hold. */
function decoded(header: string | undefined): string | undefined {
  const [, encoded] = /^=\?base64\?([A-Za-z0-9+/]*={0,2})\?=$/.exec(header ?? '') ?? []
  if (encoded === undefined) return header
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(encoded), (char) => char.charCodeAt(0)))
  } catch {
    return undefined
  }
}

export type Reply = { status: Failure['status']; body: object }

export function resultReply({ id, isStateless }: Message, result: object): Reply {
  const meta = isStateless && { resultType: 'complete', _meta: { [`${META}/serverInfo`]: SERVER } }
  return { status: 200, body: { jsonrpc: '2.0', id, result: { ...result, ...meta } } }
}

export const failureReply = ({ status, id, code, message, data }: Failure): Reply => ({
  status,
  body: { jsonrpc: '2.0', id, error: { code, message, data } },
})

/** Sends an event to clients that accept nothing else. Sends 202 without a body when there is no reply. */
export function sendReply(c: Http, reply: Reply | Reply[] | null): Response {
  if (reply === null || (Array.isArray(reply) && reply.length === 0)) return c.body(null, 202)
  const [status, body] = Array.isArray(reply)
    ? [200 as const, reply.map((each) => each.body)]
    : [reply.status, reply.body]
  if (acceptsJson(c) || !acceptsStream(c)) return c.json(body, status)
  c.header('Content-Type', 'text/event-stream')
  return c.body(`event: message\ndata: ${JSON.stringify(body)}\n\n`, status)
}
