/** Neon's HTTP protocol: each call is one statement or one atomic batch, and there are no sessions. */
import { neon, neonConfig } from '@neondatabase/serverless'
import { drizzle, type NeonHttpDatabase } from 'drizzle-orm/neon-http'
import type { Config } from '../core/config.ts'

export type Database = NeonHttpDatabase
export const UNIQUE_VIOLATION = '23505'
export const FOREIGN_KEY_VIOLATION = '23503'
type DatabaseError = Error & { code?: string; detail?: string; constraint?: string }

/** Reads may wait for Postgres to wake up, but fail within 5 s. Writes may send 8 MiB and wait for the site's lock. */
export const READ_TIMEOUT_MS = 4_000
export const WRITE_TIMEOUT_MS = 15_000

/** Our own code, in place of a SQLSTATE. */
export const REQUEST_TOO_LARGE = 'HC413'

export function connectDatabase(config: Config, timeoutMs: number): Database {
  if (config.DATABASE_HTTP_ENDPOINT) neonConfig.fetchEndpoint = config.DATABASE_HTTP_ENDPOINT
  neonConfig.fetchFunction ??= callNeon
  const sql = neon(config.DATABASE_URL, {
    fetchOptions: {
      // A getter, because the driver spreads the options on every call, and each call needs a fresh signal.
      get signal() {
        return AbortSignal.timeout(timeoutMs)
      },
    },
  })
  return drizzle({ client: sql })
}

/** Turns a 413 into an error with a code, because the driver describes it only in prose. */
async function callNeon(url: string, init: RequestInit & { body: string }): Promise<Response> {
  const response = await retryRead(url, init)
  if (response.status !== 413) return response
  return Response.json({ message: 'Request is too large', code: REQUEST_TOO_LARGE }, { status: 400 })
}

/** Retries within the same timeout. Never retries a write, which may have been committed. */
async function retryRead(url: string, init: RequestInit & { body: string }): Promise<Response> {
  if (!isReadStatement(init.body)) return fetch(url, init)
  try {
    return await fetchWithBody(url, init)
  } catch (error) {
    if (init.signal?.aborted) throw error
    return fetchWithBody(url, init)
  }
}

/** Reads the body too, because the connection may break there. */
async function fetchWithBody(url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url, init)
  const text = await response.text()
  const { ok, status, headers } = response
  return { ok, status, headers, text: async () => text, json: async () => JSON.parse(text) } as Response
}

/** Includes our volatile functions, which a SELECT may call. */
const WRITES =
  /\b(insert|update|delete|erase_person|is_begun|is_first|leave_tombstone|lock_site|log_refusal|next_sequence|next_version|raise_site_versions|refuse|require_admin)\b/i

/** No read is this long. Skips parsing a put of 8 MiB only to detect a write. */
const MAX_READ_LENGTH = 1_000_000

/** The body holds values separately, so they cannot look like SQL. */
export function isReadStatement(body: string): boolean {
  if (body.length > MAX_READ_LENGTH) return false
  const call = JSON.parse(body) as { query: string } | { queries: { query: string }[] }
  const queries = 'queries' in call ? call.queries : [call]
  return queries.every(({ query }) => /^\s*(select|with)\b/i.test(query) && !WRITES.test(query))
}

/** Postgres was unreachable or too slow. */
export function isDatabaseUnreachable(error: unknown): boolean {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (cause.name === 'TimeoutError') return true
  }
  const problem = databaseError(error)
  return problem !== null && !problem.code
}

/** Drizzle wraps errors of single statements, but not of batches. */
export function databaseError(error: unknown): DatabaseError | null {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (cause.name === 'NeonDbError') return cause as DatabaseError
  }
  return null
}
