/** `today`, `yesterday`, `tomorrow` or a date, in UTC. The script changes it to the reader's time zone. */
import { DAY_MS } from '../../../src/core/time.ts'
import { utcFormatter } from './utc-formatter.ts'

const format = utcFormatter({ day: 'numeric', month: 'short', year: 'numeric' })

const WORDS = new Map([
  [-1, 'yesterday'],
  [0, 'today'],
  [1, 'tomorrow'],
])

export function Day({ at, now = new Date() }: { at: Date | string; now?: Date }) {
  const instant = new Date(at)
  const exact = instant.toISOString()
  const dayOf = (time: Date) => Math.floor(time.getTime() / DAY_MS)
  return (
    <time datetime={exact} data-day="" title={exact.replace('T', ' ').replace('Z', ' UTC')}>
      {WORDS.get(dayOf(instant) - dayOf(now)) ?? format(instant)}
    </time>
  )
}
