/** Dates and flags as people write them in front matter. */
import { parseInstant } from '../../core/instant.ts'

const MONTH_NAME = /\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b/i
const WEEKDAY = /\b(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6}\b[.,]?\s*/i
const COMPACT = /^(\d{4})(\d\d)(\d\d)(?:T?(\d\d)(\d\d)(\d\d))?(?=[Z +-]|$)/
const ISO_LIKE =
  /^(?<year>\d{4})(?<separator>[-/.])(?<month>\d{1,2})\k<separator>(?<day>\d{1,2})(?:(?:T|\s+)(?<hour>\d{1,2})(?::(?<minute>\d{2})(?::(?<second>\d{2})(?<fraction>\.\d+)?)?(?:\s*(?<half>[ap]m))?|\s*(?<only>[ap]m)))?\s*(?<zone>Z|UTC|GMT|[ECMP][SD]T|[+-]\d{2}(?::?\d{2})?)?(?:(?<=\d)\s+\(.*\)|(?<=[+-]\d{2}:?\d{2})\s+[A-Z]{3,4})?$/i
/** Ruby does not know these zones, and treats the time as local. */
const UNKNOWN_ZONE = /(?<=\d:\d\d\s*)\s(?!UTC|GMT|[ECMP][SD]T|[AP]M)(?:[A-Z]{3,4}|[A-Z][a-z]+\/\w+)$/
const DAY_FIRST = /^(\d{1,2})([-/.])(\d{1,2})\2(\d{4})\b/
const ZONES: Record<string, string> = {
  ...{ EST: '-05:00', EDT: '-04:00', CST: '-06:00', CDT: '-05:00' },
  ...{ MST: '-07:00', MDT: '-06:00', PST: '-08:00', PDT: '-07:00' },
}

/** A date without a zone is in `timeZone`. With `asRuby`, as in Jekyll, 1/2/2020 is in February. */
export function readDate(text: string, timeZone = 'UTC', asRuby = false): Date | null {
  const written = plainDate(text, asRuby)
  const { groups } = ISO_LIKE.exec(written) ?? {}
  if (groups) {
    const { year, month, day, hour = '0', minute = '00', second = '00', fraction = '' } = groups
    const two = (part = '') => part.padStart(2, '0')
    const at = parseInstant(
      `${year}-${two(month)}-${two(day)}T${two(hourOf(hour, groups.half ?? groups.only))}:${minute}:${second}${fraction}${offsetOf(groups.zone)}`,
    )
    return groups.zone ? at : inZone(at, timeZone)
  }
  // 01/02/2020 is ambiguous without the month's name.
  if (!MONTH_NAME.test(written)) return null
  const zoned = /(?:\b(?:GMT|UTC|Z|[ECMP][SD]T)|[+-]\d{2}:?\d{2})(?:\s+\d{4})?(?:\s*\(.*\))?$/i.test(written)
  const at = new Date(zoned ? written : `${written} UTC`)
  if (Number.isNaN(at.getTime())) return null
  return zoned ? parseInstant(at.toISOString()) : inZone(parseInstant(at.toISOString()), timeZone)
}

function plainDate(text: string, asRuby: boolean): string {
  const plain = text
    .trim()
    .replace(WEEKDAY, '')
    .replace(/(\d)(?:st|nd|rd|th)\b/i, '$1')
    .replace(/\s*,\s*|\s+at\s+/gi, ' ')
    .replace(/\b(\d{1,2})-([a-z]{3,9})-(\d{4})\b/i, '$1 $2 $3')
    .replace(/(\d)([ap]m)\b/i, '$1 $2')
    .replace(/\(((?:UTC|GMT)[^)]*)\)$/i, '$1')
    .replace(/\b(?:UTC|GMT)(?=[+-]\d\d)/i, '')
    .replace(COMPACT, (_, year, month, day, hour = '00', minute = '00', second = '00') => {
      return `${year}-${month}-${day} ${hour}:${minute}:${second}`
    })
  return asRuby ? plain.replace(DAY_FIRST, '$4-$3-$1').replace(UNKNOWN_ZONE, '') : plain
}

function hourOf(hour: string, half: string | undefined): string {
  if (half === undefined) return hour
  return String((Number(hour) % 12) + (half.toLowerCase() === 'pm' ? 12 : 0))
}

function offsetOf(zone: string | undefined): string {
  if (!zone) return 'Z'
  const named = ZONES[zone.toUpperCase()]
  if (named) return named
  if (/^[a-z]/i.test(zone)) return 'Z'
  return zone.replace(/^(...):?(\d\d)?$/, (_, hours: string, minutes = '00') => `${hours}:${minutes}`)
}

/** Reads the clock time of `at` in UTC as a time in the zone. */
function inZone(at: Date | null, timeZone: string): Date | null {
  if (at === null || timeZone === 'UTC') return at
  const near = at.getTime() - offsetAt(at, timeZone)
  return parseInstant(new Date(at.getTime() - offsetAt(new Date(near), timeZone)).toISOString())
}

/** Cached by zone, since creating one takes 0.1 ms. */
const offsets = new Map<string, Intl.DateTimeFormat>()

/** In milliseconds, positive east of UTC. */
function offsetAt(at: Date, timeZone: string): number {
  const format =
    offsets.get(timeZone) ?? new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' })
  offsets.set(timeZone, format)
  const [, sign, hours = 0, minutes = 0, seconds = 0] =
    /([+-])(\d\d):(\d\d)(?::(\d\d))?/.exec(format.format(at)) ?? []
  const size = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)
  return (sign === '-' ? -size : size) * 1_000
}

export function flagOf(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value
  if (typeof value !== 'string') return undefined
  return { true: true, yes: true, false: false, no: false }[value.toLowerCase()]
}
