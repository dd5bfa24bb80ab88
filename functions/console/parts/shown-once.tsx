/** The page that shows a secret for the only time. It answers the form itself: a redirect would need the secret to be stored for it. */
import type { Child } from 'hono/jsx'
import { CopyableFact, Facts } from './facts.tsx'
import { PageHeading } from './heading.tsx'
import { Notice } from './notice.tsx'
import { ButtonLink } from './site-link.tsx'

type ShownOnceProps = {
  title: string
  lead: Child
  /** Says what to do with the secret now. */
  warning: string
  /** The label of the secret, and the secret. */
  label: string
  text: string
  /** The page that comes next. */
  done: string
  children?: Child
}

/** The status of the answer is 201. */
export function ShownOnce({ title, lead, warning, label, text, done, children }: ShownOnceProps) {
  return (
    <>
      <PageHeading title={title} lead={lead} />
      <Notice tone="warning">{warning}</Notice>
      <Facts boxed>
        <CopyableFact label={label} text={text} />
      </Facts>
      {children}
      <div class="actions">
        <ButtonLink to={done} text="Done" look="primary" />
      </div>
    </>
  )
}
