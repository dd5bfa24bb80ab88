import type { Child } from 'hono/jsx'
import type { Errors } from '../forms/form.ts'

type Tone = 'info' | 'success' | 'warning' | 'danger'

/** Screen readers read errors immediately, and other notices when idle. */
export function Notice({ tone, children }: { tone: Tone; children: Child }) {
  return (
    <div class={`notice ${tone}`} role={tone === 'danger' ? 'alert' : 'status'}>
      {children}
    </div>
  )
}

/** The summary above a refused form. `done` completes "Nothing was …". One error is focused, and read, with its field. */
export function ErrorSummary({ errors, done = 'saved' }: { errors: Errors; done?: string }) {
  const { '': other, ...ofFields } = errors
  const count = Object.keys(ofFields).length
  if (count < 2 && !other) return null
  const sentences = [
    `Nothing was ${done}.`,
    count > 0 && (count === 1 ? 'One field needs a change.' : `${count} fields need a change.`),
    other && `${other}.`,
  ]
  return <Notice tone="danger">{sentences.filter(Boolean).join(' ')}</Notice>
}

/** Stands in place of a list without entries. */
export function EmptyState({ title, children }: { title: string; children: Child }) {
  return (
    <div class="empty">
      <p>{title}</p>
      {children}
    </div>
  )
}
