/** Parses requests of Neon's driver, and refuses invalid ones with 400, as Neon does. */
import type { IncomingHttpHeaders } from 'node:http'
import querystring from 'node:querystring'
import { isEqualConstantTime, refusal } from './gateway.ts'
import type { Statement } from './postgres-session.ts'

export type SqlStatement = Statement & { arrayMode?: boolean }

/** SQL after BEGIN, and the response headers that confirm it. */
export type BatchMode = { sql: string; headers: Record<string, string> }

export function checkCredentials(header: string | string[] | undefined, expected: string): void {
  if (typeof header !== 'string') throw refusal(400, 'invalid header: neon-connection-string')
  if (!URL.canParse(header)) throw refusal(400, 'invalid connection string: relative URL without a base')
  const given = new URL(header)
  const right = new URL(expected)
  if (!['postgres:', 'postgresql:'].includes(given.protocol)) throw refusal(400, 'incorrect scheme')
  if (given.pathname.length < 2) throw refusal(400, 'missing database name')
  if (!given.username) throw refusal(400, 'missing username')
  if (!given.password) throw refusal(400, 'missing authentication credentials: required password')
  if (!isEqualConstantTime(`${given.username}:${given.password}`, `${right.username}:${right.password}`)) {
    throw refusal(
      400,
      `password authentication failed for user '${querystring.unescape(given.username)}'`,
      '28P01',
    )
  }
}

export function readBody(body: string): SqlStatement | SqlStatement[] {
  const value = parse(body)
  if (isObject(value) && Array.isArray(value.queries)) return value.queries.map(toStatement)
  return toStatement(value)
}

export function batchMode(headers: IncomingHttpHeaders): BatchMode {
  const mode: BatchMode = { sql: '', headers: {} }
  const level = headers['neon-batch-isolation-level']
  if (level !== undefined) {
    const sql = ISOLATION_LEVELS.get(String(level))
    if (!sql) throw refusal(400, 'invalid isolation level')
    mode.sql += ` ISOLATION LEVEL ${sql}`
    mode.headers['neon-batch-isolation-level'] = String(level)
  }
  for (const [name, sql] of [
    ['neon-batch-read-only', 'READ ONLY'],
    ['neon-batch-deferrable', 'DEFERRABLE'],
  ] as const) {
    if (headers[name] !== 'true') continue
    mode.sql += ` ${sql}`
    mode.headers[name] = 'true'
  }
  return mode
}

const ISOLATION_LEVELS = new Map([
  ['ReadUncommitted', 'READ UNCOMMITTED'],
  ['ReadCommitted', 'READ COMMITTED'],
  ['RepeatableRead', 'REPEATABLE READ'],
  ['Serializable', 'SERIALIZABLE'],
])

function parse(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch (error) {
    throw unreadable((error as Error).message)
  }
}

/** It would wait for data, which HTTP cannot send. */
const COPY = /^\s*copy\b/i

function toStatement(value: unknown): SqlStatement {
  if (!isObject(value) || typeof value.query !== 'string') throw unreadable('no query')
  const { query, params = [], arrayMode } = value
  if (COPY.test(query)) throw refusal(400, 'COPY is not supported', '0A000')
  if (!Array.isArray(params)) throw unreadable('params must be an array')
  return {
    text: query,
    params: params.map(toText),
    ...(typeof arrayMode === 'boolean' && { arrayMode }),
  }
}

function toText(param: unknown): string | null {
  if (param === null || typeof param === 'string') return param
  return Array.isArray(param) ? toPostgresArray(param) : JSON.stringify(param)
}

function toPostgresArray(value: unknown): string {
  if (value === null) return 'NULL'
  if (Array.isArray(value)) return `{${value.map(toPostgresArray).join(',')}}`
  return JSON.stringify(isObject(value) ? JSON.stringify(value) : value)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function unreadable(reason: string): Error {
  return refusal(400, `could not parse the HTTP request body: ${reason}`)
}
