/** Shows a new secret once, as the response to the form: a redirect would need the secret to be stored. */
import type { Child } from 'hono/jsx'
import { Snippet } from './copy.tsx'
import { PageHeading } from './heading.tsx'
import { Notice } from './notice.tsx'
import { ButtonLink } from './site-link.tsx'

type ShownOnceProps = {
  title: string
  lead?: Child
  warning: string
  /** The label and the secret. */
  label: string
  text: string
  /** The next page. */
  done: string
  children?: Child
}

export function ShownOnce({ title, lead, warning, label, text, done, children }: ShownOnceProps) {
  return (
    <>
      <PageHeading title={title} lead={lead} />
      <Notice tone="warning">{warning}</Notice>
      <div class="secret">
        <Snippet title={label} text={text} />
      </div>
      {children}
      <div class="actions">
        <ButtonLink to={done} text="Done" look="primary" />
      </div>
    </>
  )
}
