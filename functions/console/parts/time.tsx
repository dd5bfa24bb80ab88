/** An instant in UTC, exact in its title. The script adds the reader's time zone. */
import { utcFormatter } from './utc-formatter.ts'

const format = utcFormatter({
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
})

export function Time({ at, none = 'Never' }: { at: Date | string | null; none?: string }) {
  if (at === null) return <span class="muted">{none}</span>
  const instant = new Date(at)
  const exact = instant.toISOString()
  return (
    <time datetime={exact} title={exact.replace('T', ' ').replace('Z', ' UTC')}>
      {format(instant)} UTC
    </time>
  )
}
