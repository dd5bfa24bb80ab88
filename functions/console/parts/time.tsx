/** An instant in UTC, which the script turns into the reader's time zone. */
import { utcFormatter } from './utc-formatter.ts'

const format = utcFormatter({
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
})

/** `none` is shown where there is no instant. */
export function Time({ at, none = 'Never' }: { at: Date | string | null; none?: string }) {
  if (at === null) return <span class="muted">{none}</span>
  const instant = new Date(at)
  return <time datetime={instant.toISOString()}>{format(instant)} UTC</time>
}
