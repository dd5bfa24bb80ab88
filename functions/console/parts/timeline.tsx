import type { Child } from 'hono/jsx'
import { Time } from './time.tsx'

export type TimelineEntry = {
  at: Date | string
  what: string
  by?: string
  tone?: 'success' | 'neutral' | 'danger'
  below?: Child
}

/** Newest first. For equal times the later entry counts as newer. */
export function Timeline({ entries }: { entries: TimelineEntry[] }) {
  const newestFirst = entries.toSorted((a, b) => +new Date(a.at) - +new Date(b.at)).reverse()
  return (
    <ol class="timeline">
      {newestFirst.map(({ at, what, by, tone = 'neutral', below }) => (
        <li class={tone}>
          <p>
            {what}
            {by && ` by ${by}`}
            <span class="below">
              <Time at={at} />
            </span>
          </p>
          {below}
        </li>
      ))}
    </ol>
  )
}
