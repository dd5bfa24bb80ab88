/** Postgres over Neon's HTTP protocol: one statement or one atomic batch a call, never a session. */
import { neon, neonConfig } from '@neondatabase/serverless'
import { drizzle, type NeonHttpDatabase } from 'drizzle-orm/neon-http'
import type { Config } from '../config.ts'

export type Database = NeonHttpDatabase
type DatabaseError = Error & { code?: string; detail?: string; constraint?: string }

/**
 * A read makes two calls, the key's and its own, and must fail within 5 s; writes may carry 8 MiB and wait for a
 * site's lock.
 */
export const READ_TIMEOUT_MS = 2_400
export const WRITE_TIMEOUT_MS = 15_000

/** A database whose every call is given up after `timeoutMs`. */
export function connect(config: Config, timeoutMs: number): Database {
  if (config.DATABASE_HTTP_ENDPOINT) neonConfig.fetchEndpoint = config.DATABASE_HTTP_ENDPOINT
  const sql = neon(config.DATABASE_URL, {
    fetchOptions: {
      // The driver spreads these options at each call, so that each gets a signal of its own.
      get signal() {
        return AbortSignal.timeout(timeoutMs)
      },
    },
  })
  return drizzle({ client: sql })
}

/** Postgres's own words for what went wrong, from a single statement's error or a batch's. */
export function databaseError(error: unknown): DatabaseError | null {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if (at.name === 'NeonDbError') return at as DatabaseError
  }
  return null
}
