/**
 * Neon's SQL over HTTP, so that the Worker runs its production driver. Statuses, messages and limits follow
 * neondatabase/neon, proxy/src/serverless. Values are Postgres text, as the driver asks. When a client disconnects, its
 * statement is cancelled and rolled back.
 */
import { randomUUID } from 'node:crypto'
import {
  type Answer,
  type Call,
  type Gateway,
  type GatewayOptions,
  json,
  MAX_BODY_BYTES,
  refusal,
  startGateway,
} from './gateway.ts'
import { batchMode, checkCredentials, readBody, type SqlStatement } from './neon-request.ts'
import { isPostgresError, type PostgresBackEnd, type RunStatement } from './postgres-session.ts'

export function startPostgresGateway(
  backEnd: PostgresBackEnd,
  connectionString: string,
  options?: GatewayOptions,
): Promise<Gateway> {
  async function answer(call: Call, count: (queries: number) => void): Promise<Answer> {
    if (call.path !== '/sql') return reply(400, 'query is not supported')
    if (call.method === 'OPTIONS') return { status: 200, headers: CORS }
    if (call.method !== 'POST') return reply(400, 'query is not supported')
    checkCredentials(call.headers['neon-connection-string'], connectionString)
    const arrayMode = call.headers['neon-array-mode'] === 'true'
    const request = readBody(await call.body())
    const budget = { bytes: MAX_BODY_BYTES }
    if (!Array.isArray(request)) {
      count(1)
      const query: RunStatement = (statement) => backEnd.query(statement, call.signal)
      return reply(200, await run(query, request, arrayMode, budget))
    }
    count(request.length)
    const mode = batchMode(call.headers)
    const work = async (runStatement: RunStatement) => {
      const results: Json[] = []
      for (const statement of request) results.push(await run(runStatement, statement, arrayMode, budget))
      return { text: `{"results":[${results.map(({ text }) => text).join(',')}]}` }
    }
    return reply(200, await backEnd.transaction(mode.sql, call.signal, work), mode.headers)
  }

  return startGateway({ counts: ['queries'], answer, tooLarge, failed }, options)
}

type Budget = { bytes: number }

// Serialised once, to measure it and to send it.
type Json = { text: string }

async function run(
  runStatement: RunStatement,
  { arrayMode: own, ...statement }: SqlStatement,
  arrayMode: boolean,
  budget: Budget,
): Promise<Json> {
  const { rows, fields, ...result } = await runStatement(statement)
  const rowAsArray = own ?? arrayMode
  const text = JSON.stringify({
    rowAsArray,
    fields,
    rows: rowAsArray
      ? rows
      : rows.map((row) => Object.fromEntries(row.map((value, at) => [fields[at]?.name, value]))),
    ...result,
  })
  budget.bytes -= Buffer.byteLength(text)
  if (budget.bytes < 0) throw refusal(507, `response is too large (max is ${MAX_BODY_BYTES} bytes)`)
  return { text }
}

const CORS = {
  allow: 'OPTIONS, POST',
  'access-control-allow-origin': '*',
  'access-control-allow-headers':
    'Authorization, Neon-Connection-String, Neon-Raw-Text-Output, Neon-Array-Mode, Neon-Pool-Opt-In, Neon-Batch-Read-Only, Neon-Batch-Isolation-Level',
  'access-control-max-age': '86400',
}

function reply(status: number, body: Json | string | object, headers: Record<string, string> = {}): Answer {
  const all = { ...headers, 'access-control-allow-origin': '*', 'neon-request-id': randomUUID() }
  if (typeof body === 'object' && 'text' in body) {
    return { status, body: body.text, headers: { 'content-type': 'application/json', ...all } }
  }
  return json(status, body, all)
}

function tooLarge(): Answer {
  return reply(413, errorBody({ message: `request is too large (max is ${MAX_BODY_BYTES} bytes)` }))
}

function failed(error: unknown): Answer {
  if (isPostgresError(error)) return reply(400, errorBody({ ...error, message: error.message }))
  const { message, status = 500, code } = error as ReturnType<typeof refusal>
  return reply(status, errorBody({ message, code, severity: code && 'FATAL' }))
}

const ERROR_FIELDS = [
  'message',
  'code',
  'detail',
  'hint',
  'position',
  'internalPosition',
  'internalQuery',
  'severity',
  'where',
  'table',
  'column',
  'schema',
  'dataType',
  'constraint',
  'file',
  'line',
  'routine',
]

function errorBody(error: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(ERROR_FIELDS.map((field) => [field, error[field] ?? null]))
}
