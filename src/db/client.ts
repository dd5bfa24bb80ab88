/** Postgres over Neon's HTTP protocol. Each call is one statement or one atomic batch; there are no sessions. */
import { neon, neonConfig } from '@neondatabase/serverless'
import { drizzle, type NeonHttpDatabase } from 'drizzle-orm/neon-http'
import type { Config } from '../foundation/config.ts'

export type Database = NeonHttpDatabase
type DatabaseError = Error & { code?: string; detail?: string; constraint?: string }

/**
 * A read must fail within 5 s when Postgres hangs, but may have to wait for a Postgres that was asleep. A write may send
 * 8 MiB and wait for its site's lock.
 */
export const READ_TIMEOUT_MS = 4_000
export const WRITE_TIMEOUT_MS = 15_000

/** A database client. Every call fails after `timeoutMs`. */
export function connectDatabase(config: Config, timeoutMs: number): Database {
  if (config.DATABASE_HTTP_ENDPOINT) neonConfig.fetchEndpoint = config.DATABASE_HTTP_ENDPOINT
  const sql = neon(config.DATABASE_URL, {
    fetchOptions: {
      // A getter, because the driver spreads these options on each call: each gets a signal of its own.
      get signal() {
        return AbortSignal.timeout(timeoutMs)
      },
    },
  })
  return drizzle({ client: sql })
}

/** Whether Postgres gave no answer: it could not be reached, or took too long. */
export function isUnanswered(error: unknown): boolean {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (cause.name === 'TimeoutError') return true
  }
  const problem = databaseError(error)
  return problem !== null && !problem.code
}

/** Finds Postgres's error: Drizzle wraps that of a single statement, but not that of a batch. Null if there is none. */
export function databaseError(error: unknown): DatabaseError | null {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (cause.name === 'NeonDbError') return cause as DatabaseError
  }
  return null
}
