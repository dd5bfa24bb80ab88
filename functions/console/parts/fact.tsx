/** A line of a list of facts: what it is, and what it says. */
import type { Child } from 'hono/jsx'

export function Fact({ label, children }: { label: string; children: Child }) {
  return (
    <div class="copyable fact">
      <dt>{label}</dt>
      <dd>
        <div>{children}</div>
      </dd>
    </div>
  )
}
