import { DrizzleQueryError } from 'drizzle-orm/errors'

export type Log = (event: string, fields?: Record<string, unknown>) => void

export const SECRET_PREFIXES = /\bhca_[a-z]+_|\bwhsec_/

const SECRETS = new RegExp(`(${SECRET_PREFIXES.source})[\\w+/=-]+|([?&]token=)[^&"\\s]*`, 'g')

/** Each line has the value of `fields` at that time. */
export function createLog(fields: Record<string, unknown> = {}): Log {
  return (event, more = {}) => {
    const line = JSON.stringify({ time: new Date().toISOString(), event, ...fields, ...more })
    console.log(line.replace(SECRETS, '$1$2[redacted]'))
  }
}

/** The Redis client's messages contain the whole command. Keys and values must not be logged. */
const COMMAND = /, command was: (?:\[+"(\w+)")?.*$/s

/** Omits queries and parameters, and all of a Redis command except its name. */
export function describeError(error: unknown): { name: string; message: string; cause?: string } {
  if (!(error instanceof Error)) return { name: 'unknown', message: typeof error }
  const cause = error.cause instanceof Error ? error.cause : null
  if (error instanceof DrizzleQueryError) {
    return { name: 'DatabaseError', message: cause?.message ?? 'query failed' }
  }
  const message = error.message.replace(COMMAND, (_, name = 'unknown') => `, command was: ${name}`)
  return { name: error.name, message, ...(cause && { cause: cause.message }) }
}
