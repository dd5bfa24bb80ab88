/** Dates and flags as people write them in front matter. */
import { parseInstant } from '../../foundation/instant.ts'

const MONTH_NAME = /\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b/i
const ISO_LIKE =
  /^(\d{4})-(\d{1,2})-(\d{1,2})(?:(?:[Tt]|\s+)(\d{1,2}):(\d{2})(?::(\d{2})(\.\d+)?)?)?\s*(Z|UTC|GMT|[+-]\d{2}:?\d{2})?$/i

/** A date without a zone is in `timeZone`, so that it is the same on every machine. */
export function readDate(text: string, timeZone = 'UTC'): Date | null {
  const iso = ISO_LIKE.exec(text)
  if (iso) {
    const [, year, month, day, hour = '0', minute = '00', second = '00', fraction = '', zone] = iso
    const two = (part = '') => part.padStart(2, '0')
    const offset = !zone || /^[a-z]/i.test(zone) ? 'Z' : zone.replace(/^(...)(\d\d)$/, '$1:$2')
    const at = parseInstant(
      `${year}-${two(month)}-${two(day)}T${two(hour)}:${minute}:${second}${fraction}${offset}`,
    )
    return zone ? at : inZone(at, timeZone)
  }
  // 01/02/2020 is ambiguous; a date with the month's name is not.
  if (!MONTH_NAME.test(text)) return null
  const zoned = /(?:\b(?:GMT|UTC|Z)|[+-]\d{2}:?\d{2})(?:\s*\(.*\))?$/i.test(text)
  const at = new Date(zoned ? text : `${text} UTC`)
  if (Number.isNaN(at.getTime())) return null
  return zoned ? parseInstant(at.toISOString()) : inZone(parseInstant(at.toISOString()), timeZone)
}

/** The instant at which clocks of a zone show what those of UTC show at `at`. */
function inZone(at: Date | null, timeZone: string): Date | null {
  if (at === null || timeZone === 'UTC') return at
  const near = at.getTime() - offsetAt(at, timeZone)
  return parseInstant(new Date(at.getTime() - offsetAt(new Date(near), timeZone)).toISOString())
}

/** Made once for each zone: one takes 0.1 ms. */
const offsets = new Map<string, Intl.DateTimeFormat>()

/** In milliseconds, east of UTC. */
function offsetAt(at: Date, timeZone: string): number {
  const format =
    offsets.get(timeZone) ?? new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' })
  offsets.set(timeZone, format)
  const [, sign, hours = 0, minutes = 0, seconds = 0] =
    /([+-])(\d\d):(\d\d)(?::(\d\d))?/.exec(format.format(at)) ?? []
  const size = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)
  return (sign === '-' ? -size : size) * 1_000
}

/** `true`, `yes`, `false` or `no`; undefined for anything else. */
export function flagOf(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value
  if (typeof value !== 'string') return undefined
  return { true: true, yes: true, false: false, no: false }[value.toLowerCase()]
}
