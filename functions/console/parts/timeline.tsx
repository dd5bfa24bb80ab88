import type { Child } from 'hono/jsx'
import { SiteLink } from './site-link.tsx'
import { Time } from './time.tsx'

export type TimelineEntry = {
  at: Date | string
  what: string
  by?: string
  /** A page of the site. */
  link?: string
  tone?: 'success' | 'neutral' | 'danger'
  action?: Child
}

/** Newest first. For equal times the later entry counts as newer. */
export function Timeline({ entries }: { entries: TimelineEntry[] }) {
  const newestFirst = entries.toSorted((a, b) => +new Date(a.at) - +new Date(b.at)).reverse()
  return (
    <ol class="timeline">
      {newestFirst.map(({ at, what, by, link, tone = 'neutral', action }) => (
        <li class={tone}>
          <p>
            {link ? <SiteLink to={link}>{what}</SiteLink> : what}
            {by && ` by ${by}`}
            <span class="below">
              <Time at={at} />
            </span>
          </p>
          {action}
        </li>
      ))}
    </ol>
  )
}
