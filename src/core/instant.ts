/** Without Zod, because every thread of the command line would load a copy. */

const RFC_3339 =
  /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/

const EARLIEST = Date.parse('0001-01-01T00:00:00Z')
const LATEST = Date.parse('9999-12-31T23:59:59.999Z')

/** https://www.rfc-editor.org/rfc/rfc3339#section-5.6, truncated to milliseconds. Null outside the years 1 to 9999. */
export function parseInstant(text: string): Date | null {
  const match = RFC_3339.exec(text)
  if (!match) return null
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  const [offsetHour, offsetMinute] = [Number(match[9] ?? 0), Number(match[10] ?? 0)]
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return null
  if (hour > 23 || minute > 59 || second > 60 || offsetHour > 23 || offsetMinute > 59) return null
  const milliseconds = Number((match[7] ?? '').slice(0, 3).padEnd(3, '0'))
  const local = new Date(0)
  local.setUTCFullYear(year, month - 1, day)
  local.setUTCHours(hour, minute, second, milliseconds)
  const offset = (offsetHour * 60 + offsetMinute) * 60_000 * (match[8] === '-' ? -1 : 1)
  const instant = local.getTime() - offset
  return instant < EARLIEST || instant > LATEST ? null : new Date(instant)
}

function daysIn(year: number, month: number): number {
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
  return month === 2 ? (leap ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31
}
