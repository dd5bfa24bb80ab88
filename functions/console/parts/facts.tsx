/** What is known of a thing, field by field. */
import type { Child } from 'hono/jsx'

/** A fact that is null, empty or false is left out. */
export function Facts({ facts }: { facts: [name: string, value: Child][] }) {
  return (
    <dl class="facts">
      {facts
        .filter(([, value]) => value !== null && value !== undefined && value !== '' && value !== false)
        .map(([name, value]) => (
          <div>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  )
}
