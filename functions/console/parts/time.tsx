/** An instant in UTC, exact in its title. The script shows it in the reader's time zone, or as `5 min ago`. */
import { utcFormatter } from './utc-formatter.ts'

const format = utcFormatter({
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
})

type TimeProps = {
  at: Date | string | null
  /** For logs and lists, where the age matters more than the date. */
  isRelative?: boolean
}

export function Time({ at, isRelative = false }: TimeProps) {
  if (at === null) return <span class="muted">Never</span>
  const instant = new Date(at)
  const exact = instant.toISOString()
  return (
    <time
      datetime={exact}
      title={exact.replace('T', ' ').replace('Z', ' UTC')}
      data-relative={isRelative ? 'yes' : undefined}
    >
      {format(instant)} UTC
    </time>
  )
}
