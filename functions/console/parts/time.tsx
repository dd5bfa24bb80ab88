/** Times in UTC, exact in their title. The script shows them in the reader's time zone. */
import { DAY_MS } from '../../../src/core/time.ts'

/** Formats in UTC. Loads the locale data on first use, to keep the Worker's start fast. */
export function utcFormatter(options: Intl.DateTimeFormatOptions): (at: Date) => string {
  let formatter: Intl.DateTimeFormat | undefined
  return (at) => {
    formatter ??= new Intl.DateTimeFormat('en-GB', { ...options, timeZone: 'UTC' })
    return formatter.format(at)
  }
}

const formatDay = utcFormatter({ dateStyle: 'medium' })
const formatTime = utcFormatter({ dateStyle: 'medium', timeStyle: 'short' })

const attributesOf = (at: Date) => ({
  datetime: at.toISOString(),
  title: at.toISOString().replace('T', ' ').replace('Z', ' UTC'),
})

type TimeProps = {
  /** Null for a key, token or person that was never used. */
  at: Date | string | null
  never?: string
  /** For logs and lists, where the age matters more than the date. The script shows `5 min ago`. */
  isRelative?: boolean
}

export function Time({ at, never = 'Never used', isRelative = false }: TimeProps) {
  if (at === null) return <span class="muted">{never}</span>
  const instant = new Date(at)
  return (
    <time {...attributesOf(instant)} data-relative={isRelative ? 'yes' : undefined}>
      {formatTime(instant)} UTC
    </time>
  )
}

const NEAR_DAYS = new Map([
  [-1, 'yesterday'],
  [0, 'today'],
  [1, 'tomorrow'],
])

/** `today`, `yesterday`, `tomorrow` or a date. */
export function Day({ at, now = new Date() }: { at: Date | string; now?: Date }) {
  const instant = new Date(at)
  const dayOf = (time: Date) => Math.floor(time.getTime() / DAY_MS)
  return (
    <time {...attributesOf(instant)} data-day="">
      {NEAR_DAYS.get(dayOf(instant) - dayOf(now)) ?? formatDay(instant)}
    </time>
  )
}

/** A day in UTC, in every time zone. */
export function UtcDay({ at }: { at: Date }) {
  return <span data-utc-date={at.toISOString()}>{formatDay(at)}</span>
}

/** ` by Ada`, or nothing if unknown. */
export function By({ name }: { name: string | null | undefined }) {
  return name ? (
    <>
      {' '}
      by <bdi>{name}</bdi>
    </>
  ) : null
}
