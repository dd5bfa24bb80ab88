import type { Child } from 'hono/jsx'
import { Time } from './time.tsx'

export type TimelineEntry = {
  at: Date | string
  /** Null if `below` says it. */
  what: Child
  by?: string
  tone?: 'success' | 'neutral' | 'danger'
  below?: Child
}

/** Newest first. For equal times the later entry counts as newer. Folds what follows the `first` entries. */
export function Timeline({ entries, first }: { entries: TimelineEntry[]; first: number }) {
  const newestFirst = entries.toSorted((a, b) => +new Date(a.at) - +new Date(b.at)).reverse()
  return (
    <>
      <Entries entries={newestFirst.slice(0, first)} />
      {newestFirst.length > first && (
        <details>
          <summary>{newestFirst.length - first} older</summary>
          <Entries entries={newestFirst.slice(first)} />
        </details>
      )}
    </>
  )
}

function Entries({ entries }: { entries: TimelineEntry[] }) {
  return (
    <ol class="timeline">
      {entries.map(({ at, what, by, tone = 'neutral', below }) => (
        <li class={tone}>
          {what && (
            <p>
              {what}
              {by && ` by ${by}`}{' '}
              <span class="hint">
                <Time at={at} isRelative />
              </span>
            </p>
          )}
          {below}
        </li>
      ))}
    </ol>
  )
}
