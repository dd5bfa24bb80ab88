import type { Child } from 'hono/jsx'
import { CopyButton } from './copy.tsx'

/** `boxed` highlights a few important facts. */
export function Facts({ boxed, children }: { boxed?: boolean; children: Child }) {
  return <dl class={boxed ? 'facts boxed' : 'facts'}>{children}</dl>
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

export function CopyableFact({ label, text }: { label: string; text: string }) {
  return (
    <div class="copyable">
      <dt>{label}</dt>
      <dd>
        <code>{text}</code>
        <CopyButton text={text} what={label} />
      </dd>
    </div>
  )
}
