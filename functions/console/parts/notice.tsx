/** A sentence that the reader should not miss. */
import type { Child } from 'hono/jsx'
import type { Errors } from '../forms/form.ts'

type Tone = 'info' | 'success' | 'warning' | 'danger'

/** A screen reader reads what went wrong at once, everything else when it has a moment. */
export function Notice({ tone, children }: { tone: Tone; children: Child }) {
  return (
    <div class={`notice ${tone}`} role={tone === 'danger' ? 'alert' : 'status'}>
      {children}
    </div>
  )
}

/** Stands above a form that was refused: what was not done, and the errors that belong to no field. */
export function ErrorSummary({ errors, done = 'saved' }: { errors: Errors; done?: string }) {
  const { '': other, ...ofFields } = errors
  const count = Object.keys(ofFields).length
  if (count === 0 && !other) return null
  const sentences = [
    `Nothing was ${done}.`,
    count > 0 && (count === 1 ? 'One field needs a change.' : `${count} fields need a change.`),
    other && `${other}.`,
  ]
  return <Notice tone="danger">{sentences.filter(Boolean).join(' ')}</Notice>
}
