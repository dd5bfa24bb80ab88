/** An instant: in UTC as it is sent, in the reader's zone when the script has run. */
import { utc } from './utc.ts'

const inWords = utc({
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
})

/** `none` is for no instant. */
export function Time({ at, none = 'Never' }: { at: Date | string | null; none?: string }) {
  if (at === null) return <span class="muted">{none}</span>
  const instant = new Date(at)
  return <time datetime={instant.toISOString()}>{inWords(instant)} UTC</time>
}
