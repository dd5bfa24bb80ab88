/** Sends the requests of the OpenAPI documents to a service, and records requests and answers. */
import { type Document, type Operation, operationsOf } from '../support/openapi-document.ts'
import type { startReceiver } from '../support/receiver.ts'
import type { Service } from '../support/service.ts'

export type Root = '/api/v1' | '/manage/v1'
export type Recorded = { root: Root; operation: Operation; body: unknown; response: Response }
export type Params = Record<string, string>
export type Ask = {
  params?: Params
  query?: string
  body?: unknown
  key?: string | null
  headers?: Record<string, string>
}

type Recorder = ReturnType<typeof createRecorder>
export type World = {
  service: Service
  receiver: Awaited<ReturnType<typeof startReceiver>>
  recorder: Recorder
}

export function createRecorder(origin: string, documents: Record<Root, Document>) {
  const recorded: Recorded[] = []
  const all = {
    '/api/v1': operationsOf(documents['/api/v1']),
    '/manage/v1': operationsOf(documents['/manage/v1']),
  }
  const operations = (root: Root) => all[root]

  async function ask(root: Root, operationId: string, { params = {}, query = '', body, key, headers }: Ask) {
    const operation = operations(root).find((each) => each.operationId === operationId)
    if (!operation) throw new Error(`${operationId} is not described`)
    const response = await fetch(origin + root + fill(operation.path, params) + query, {
      method: operation.method,
      headers: {
        ...(key && { Authorization: `Bearer ${key}` }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: textOf(body) }),
    })
    const content = await response.arrayBuffer()
    const kept = new Response(content.byteLength > 0 ? content : null, response)
    recorded.push({ root, operation, body, response: kept })
    return kept
  }

  return { recorded, operations, ask }
}

const fill = (path: string, params: Params) =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? 'a'))

function textOf(body: unknown): string | Uint8Array {
  if (typeof body === 'string' || body instanceof Uint8Array) return body
  return String(JSON.stringify(body))
}
