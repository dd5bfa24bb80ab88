import type { Child } from 'hono/jsx'
import type { Role } from '../../../src/core/actor.ts'
import { CopyButton } from './copy.tsx'
import { useAllowed } from './require-role.tsx'

/** `boxed` highlights a few important facts. */
export function Facts({ boxed, children }: { boxed?: boolean; children: Child }) {
  return <dl class={boxed ? 'facts box' : 'facts'}>{children}</dl>
}

type FactProps = { label: string; children?: Child }

/** Renders nothing without children. */
export function Fact({ label, children }: FactProps) {
  if (children === null || children === undefined || children === '' || children === false) return null
  return (
    <div>
      <dt>{label}</dt>
      <dd dir="auto">{children}</dd>
    </div>
  )
}

type CopyableFactProps = {
  label: string
  text: string
  /** Lower roles see a masked text, which nobody wants to copy. */
  needs?: Role
}

export function CopyableFact({ label, text, needs = 'viewer' }: CopyableFactProps) {
  const end = Math.max(0, text.lastIndexOf('/'))
  return (
    <div>
      <dt>{label}</dt>
      <dd class="ends">
        <code>
          <span>{text.slice(0, end)}</span>
          {text.slice(end)}
        </code>
        {useAllowed(needs) && <CopyButton text={text} what={label} />}
      </dd>
    </div>
  )
}
