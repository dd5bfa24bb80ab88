/** Shows a new secret once, as the response to the form: a redirect would need the secret to be stored. */
import type { Child } from 'hono/jsx'
import type { Http } from '../../http/env.ts'
import { Snippet } from './copy.tsx'
import { Notice, PageHeading } from './page.tsx'
import { ButtonLink } from './site-link.tsx'

type Page = Parameters<Http['render']>[1] & { title: string }

type Shown = {
  page: Page
  lead: Child
  warning: string
  /** The label and the secret. */
  label: string
  text: string
  /** The next page. */
  done: string
  /** A button for the next step. */
  next?: Child
  below?: Child
}

export function shownOncePage(c: Http, { page, lead, warning, label, text, done, next, below }: Shown) {
  c.status(201)
  return c.render(
    <>
      <PageHeading title={page.title} lead={lead} />
      <Notice tone="warning">{warning}</Notice>
      <div class="secret">
        <Snippet title={label} text={text} />
      </div>
      {below}
      <div class="actions">
        <ButtonLink to={done} text="Done" look="primary" />
        {next}
      </div>
    </>,
    { ...page, isNarrow: true },
  )
}
