/** Structured log lines, one JSON object each. Secrets in them are redacted. */
import { DrizzleQueryError } from 'drizzle-orm/errors'

export type Log = (event: string, fields?: Record<string, unknown>) => void

/** Of keys, operators' tokens and webhooks' secrets. */
export const SECRET_PREFIXES = /\bhca_[a-z]+_|\bwhsec_/

const SECRETS = new RegExp(`(${SECRET_PREFIXES.source})[\\w+/=-]+|([?&]token=)[^&"\\s]*`, 'g')

/** A log whose lines all have `fields`, as they are when the line is written. */
export function createLog(fields: Record<string, unknown> = {}): Log {
  return (event, more = {}) => {
    const line = JSON.stringify({ time: new Date().toISOString(), event, ...fields, ...more })
    console.log(line.replace(SECRETS, '$1$2[redacted]'))
  }
}

/** The client of Redis puts the whole command into the message; keys and values do not belong into a log. */
const COMMAND = /, command was: (?:\[+"(\w+)")?.*$/s

/** Name, message and cause of an error, without the query and its parameters, and of a Redis command only its name. */
export function describeError(error: unknown): { name: string; message: string; cause?: string } {
  if (!(error instanceof Error)) return { name: 'unknown', message: typeof error }
  const cause = error.cause instanceof Error ? error.cause : null
  if (error instanceof DrizzleQueryError) {
    return { name: 'DatabaseError', message: cause?.message ?? 'query failed' }
  }
  const message = error.message.replace(COMMAND, (_, name = 'unknown') => `, command was: ${name}`)
  return { name: error.name, message, ...(cause && { cause: cause.message }) }
}
