/** Times on the wire: RFC 3339 in, `2026-11-21T03:28:00.123Z` out. */
import * as z from 'zod/mini'
import { parseInstant } from './instant.ts'

export const HOUR_MS = 3_600_000
export const DAY_MS = 86_400_000

/** JavaScript reads Postgres's text of a year below 100 as 1950 to 2049. */
const EARLIEST_KEPT = Date.parse('0100-01-01T00:00:00Z')

export const Instant = z
  .pipe(z.string(), toInstant(parseInstant))
  .check(z.refine((at) => at.getTime() >= EARLIEST_KEPT, 'must not be before the year 100'))

export const expiryWithin = (maxDays: number) =>
  z.pipe(
    Instant,
    z.transform((at, { issues }) => {
      const days = (at.getTime() - Date.now()) / DAY_MS
      if (days > 0 && days <= maxDays) return at
      issues.push({ code: 'custom', input: at, message: `must be within the next ${maxDays} days` })
      return z.NEVER
    }),
  )

export function toInstant(
  parse: (text: string) => Date | null,
  rule = 'must be an RFC 3339 date-time with offset',
) {
  return z.transform((text: string, { issues }) => {
    const at = parse(text)
    if (at) return at
    issues.push({ code: 'custom', input: text, message: rule })
    return z.NEVER
  })
}

export function wireTime(at: Date): string
export function wireTime(at: Date | null): string | null
export function wireTime(at: Date | null): string | null {
  return at === null ? null : at.toISOString()
}

export function utcDay(at: Date): string {
  return at.toISOString().slice(0, 10)
}

/** `at` is Unix milliseconds. At least 1, for `Retry-After`. */
export function secondsUntil(at: number): number {
  return Math.max(1, Math.ceil((at - Date.now()) / 1_000))
}
