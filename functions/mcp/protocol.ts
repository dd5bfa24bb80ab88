/**
 * Messages of the protocol (https://modelcontextprotocol.io/specification): JSON-RPC 2.0, each in a request of its own.
 * Revisions up to 2025-11-25 begin with `initialize`; since 2026-07-28 each request says its version itself, in `_meta` and,
 * like its method and the tool's name, in headers.
 */
import type { Http } from '../http/env.ts'

/** With a handshake, newest first. */
export const HANDSHAKE_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26']
const STATELESS_VERSION = '2026-07-28'
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

/** Without an `id` it is a notification, or a client's response: neither gets an answer. */
export type Message = {
  id: Id | null
  method: string
  params: Record<string, unknown>
  /** Whether it is of a version that has no handshake. */
  isStateless: boolean
}

export type Failure = {
  status: 200 | 400 | 404 | 406 | 415
  id: Id | null
  code: number
  message: string
  data?: unknown
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const isFailure = (read: Message | Failure): read is Failure => 'code' in read

const failure = (status: Failure['status'], code: number, message: string): Failure => ({
  ...{ status, id: null, code, message },
})

export const invalidParams = ({ id }: Message, message: string): Failure => ({
  ...{ status: 200, id, code: INVALID_PARAMS, message },
})

/** Since 2026-07-28 with a status that a client without JSON-RPC understands. */
export const unknownMethod = ({ id, method, isStateless }: Message): Failure => ({
  ...{ status: isStateless ? 404 : 200, id, code: METHOD_NOT_FOUND },
  message: `Method not found: ${method.slice(0, 100)}`,
})

/** The message of a request, or why it is none. */
export async function readMessage(c: Http): Promise<Message | Failure> {
  const refused = refuseHeaders(c)
  if (refused) return refused
  const bytes = await c.req.arrayBuffer()
  let body: unknown
  try {
    body = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes))
  } catch (error) {
    return failure(400, PARSE_ERROR, `Parse error: must be JSON in UTF-8: ${(error as Error).message}`)
  }
  return toMessage(c, body)
}

function refuseHeaders(c: Http): Failure | null {
  if (!/^application\/json\s*(;|$)/i.test(c.req.header('Content-Type') ?? ''))
    return failure(415, INVALID_REQUEST, 'Content-Type must be application/json')
  const accepted = c.req.header('Accept') ?? '*/*'
  if (!/(^|[,\s])(application\/json|application\/\*|\*\/\*)\s*(;|,|$)/i.test(accepted))
    return failure(406, INVALID_REQUEST, 'Accept must allow application/json')
  return null
}

function toMessage(c: Http, body: unknown): Message | Failure {
  const invalid = (message: string) => failure(400, INVALID_REQUEST, `Invalid request: ${message}`)
  if (Array.isArray(body)) return invalid('batches are not supported, send each message by itself')
  if (!isObject(body) || body.jsonrpc !== '2.0') return invalid('jsonrpc must be "2.0"')
  const { id, method, params = {} } = body
  const isResponse = method === undefined && ('result' in body || 'error' in body)
  if (!isResponse && (typeof method !== 'string' || method === '')) return invalid('method must be a text')
  if ('id' in body && typeof id !== 'string' && !Number.isSafeInteger(id))
    return invalid('id must be a text or an integer')
  if (!isObject(params)) return invalid('params must be an object')
  const message = {
    id: isResponse || id === undefined ? null : (id as Id),
    method: isResponse ? '' : (method as string),
    params,
    isStateless: false,
  }
  const said = versionOf(c, message)
  return typeof said === 'boolean' ? { ...message, isStateless: said } : { ...said, id: message.id }
}

/** Whether the message is of a version without handshake, or what it or its headers lack. */
function versionOf(c: Http, { id, method, params }: Message): boolean | Failure {
  const header = c.req.header('MCP-Protocol-Version')
  const meta = isObject(params._meta) ? params._meta : {}
  const said = meta[`${META}/protocolVersion`]
  const requested = said ?? header
  if (requested === undefined) return false
  if (typeof requested !== 'string' || !VERSIONS.includes(requested)) {
    const data = {
      supported: VERSIONS,
      requested: typeof requested === 'string' ? requested.slice(0, 100) : null,
    }
    return { ...failure(400, UNSUPPORTED_VERSION, 'Unsupported protocol version'), data }
  }
  const isStateless = requested === STATELESS_VERSION
  // The revision has no notifications of clients, and says nothing of their headers.
  if (!isStateless || id === null) return isStateless
  const mismatch = (name: string) =>
    failure(400, HEADER_MISMATCH, `Header mismatch: ${name} must be what the body says`)
  if (said === undefined || !isObject(meta[`${META}/clientCapabilities`]))
    return failure(
      400,
      INVALID_PARAMS,
      `params._meta must have ${META}/protocolVersion and ${META}/clientCapabilities`,
    )
  if (header !== said) return mismatch('MCP-Protocol-Version')
  if (c.req.header('Mcp-Method') !== method) return mismatch('Mcp-Method')
  if (method === 'tools/call' && decoded(c.req.header('Mcp-Name')) !== params.name)
    return mismatch('Mcp-Name')
  return true
}

/** `=?base64?…?=` is what a header could not hold as it is. */
function decoded(header: string | undefined): string | undefined {
  const [, encoded] = /^=\?base64\?([A-Za-z0-9+/]*={0,2})\?=$/.exec(header ?? '') ?? []
  if (encoded === undefined) return header
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(encoded), (char) => char.charCodeAt(0)))
  } catch {
    return undefined
  }
}

export function sendResult(c: Http, { id, isStateless }: Message, result: object): Response {
  const said = isStateless && { resultType: 'complete', _meta: { [`${META}/serverInfo`]: SERVER } }
  return c.json({ jsonrpc: '2.0', id, result: { ...result, ...said } })
}

export function sendFailure(c: Http, { status, id, code, message, data }: Failure): Response {
  return c.json({ jsonrpc: '2.0', id, error: { code, message, data } }, status)
}
