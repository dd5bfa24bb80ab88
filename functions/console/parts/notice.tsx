/** A sentence that the reader should not miss. */
import type { Child } from 'hono/jsx'
import type { Errors } from '../form.ts'

type Tone = 'info' | 'success' | 'warning' | 'danger'

/** What went well or is good to know is announced politely, what went wrong at once. */
export function Notice({ tone, children }: { tone: Tone; children: Child }) {
  return (
    <div class={`notice ${tone}`} role={tone === 'danger' ? 'alert' : 'status'}>
      {children}
    </div>
  )
}

/** Says above a form that it was refused, what was therefore not done, and what concerns no field of it. */
export function Refusal({ errors, done = 'saved' }: { errors: Errors; done?: string }) {
  const count = Object.keys(errors).filter((field) => field !== '').length
  if (Object.keys(errors).length === 0) return null
  return (
    <Notice tone="danger">
      Nothing was {done}.{' '}
      {count > 0 && (count === 1 ? 'One field needs a change.' : `${count} fields need a change.`)}
      {errors[''] && ` ${errors['']}.`}
    </Notice>
  )
}
