/** Calls to `/mcp` like a client without an SDK. */
import { call, manage } from './site.ts'

type Json = Record<string, unknown>
type Sent = {
  key?: string | null
  headers?: Record<string, string>
  body?: unknown
  method?: string
  query?: string
}
export type Result = {
  content: { type: string; text: string }[]
  structuredContent?: Json
  isError?: boolean
}
export type ListedTool = {
  name: string
  title: string
  description: string
  inputSchema: Json
  annotations: Json
}

export const HEADERS = { Accept: 'application/json, text/event-stream', 'MCP-Protocol-Version': '2025-11-25' }

/** A request with this body, or with a JSON-RPC request. */
export function post({
  key = null,
  headers = {},
  body,
  method = 'POST',
  query = '',
}: Sent): Promise<Response> {
  return call(`/mcp${query}`, { method, key, headers: { ...HEADERS, ...headers }, body })
}

export const rpc = (method: string, params?: object, id: unknown = 1) => ({
  ...{ jsonrpc: '2.0', id, method },
  ...(params && { params }),
})

/** The result of a request, which must have one. */
async function ask<Answer = Json>(key: string, method: string, params?: object): Promise<Answer> {
  const response = await post({ key, body: rpc(method, params) })
  const { result, error } = await response.json<{ result?: Answer; error?: object }>()
  if (!result) throw new Error(`${method}: ${response.status} ${JSON.stringify(error)}`)
  return result
}

export const callTool = (key: string, name: string, args: object = {}) =>
  ask<Result>(key, 'tools/call', { name, arguments: args })

/** The text of a successful result. */
export async function textOf(key: string, name: string, args: object = {}): Promise<string> {
  const { content, isError } = await callTool(key, name, args)
  if (isError) throw new Error(content[0]!.text)
  return content[0]!.text
}

/** The text of a failed result. */
export async function failureOf(key: string, name: string, args: object = {}): Promise<string> {
  const { content, isError } = await callTool(key, name, args)
  if (!isError) throw new Error(`No failure: ${content[0]!.text}`)
  return content[0]!.text
}

export const toolsOf = async (key: string) => (await ask<{ tools: ListedTool[] }>(key, 'tools/list')).tools

export const namesOf = async (key: string) => (await toolsOf(key)).map(({ name }) => name)

export async function makeOperator(role: 'viewer' | 'editor' | 'admin') {
  const name = crypto.randomUUID()
  const { id } = await manage('POST', '/operators', { name, role })
  const made = await manage('POST', `/operators/${id}/tokens`, {})
  return { id, name, token: made.token, tokenId: made.id }
}

type Refused = { jsonrpc: string; id: unknown; error: { code: number; message: string; data?: object } }

/** The status and JSON-RPC error of an answer. */
export async function refusalOf(response: Response) {
  const { jsonrpc, id, error } = await response.json<Refused>()
  if (jsonrpc !== '2.0') throw new Error(`jsonrpc is ${jsonrpc}`)
  return { status: response.status, id, code: error.code, message: error.message }
}
