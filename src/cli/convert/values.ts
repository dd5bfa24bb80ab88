/** Dates and flags as people write them in front matter. */
import { parseInstant } from '../../foundation/instant.ts'

const MONTH_NAME = /\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b/i
const ISO_LIKE =
  /^(\d{4})-(\d{1,2})-(\d{1,2})(?:(?:[Tt]|\s+)(\d{1,2}):(\d{2})(?::(\d{2})(\.\d+)?)?)?\s*(Z|UTC|GMT|[+-]\d{2}:?\d{2})?$/i

/** A date without a zone is UTC, so that it is the same on every machine. */
export function readDate(text: string): Date | null {
  const iso = ISO_LIKE.exec(text)
  if (iso) {
    const [, year, month, day, hour = '0', minute = '00', second = '00', fraction = '', zone = 'Z'] = iso
    const two = (part = '') => part.padStart(2, '0')
    const offset = /^[a-z]/i.test(zone) ? 'Z' : zone.replace(/^(...)(\d\d)$/, '$1:$2')
    return parseInstant(
      `${year}-${two(month)}-${two(day)}T${two(hour)}:${minute}:${second}${fraction}${offset}`,
    )
  }
  // 01/02/2020 is ambiguous; a date with the month's name is not.
  if (!MONTH_NAME.test(text)) return null
  const zoned = /(?:\b(?:GMT|UTC|Z)|[+-]\d{2}:?\d{2})(?:\s*\(.*\))?$/i.test(text)
  const at = new Date(zoned ? text : `${text} UTC`)
  return Number.isNaN(at.getTime()) ? null : parseInstant(at.toISOString())
}

/** `true`, `yes`, `false` or `no`; undefined for anything else. */
export function flagOf(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value
  if (typeof value !== 'string') return undefined
  return { true: true, yes: true, false: false, no: false }[value.toLowerCase()]
}
