/** Error pages for refused forms. */
import type { Child } from 'hono/jsx'
import type { Http } from '../../http/env.ts'
import { PageHeading } from '../parts/heading.tsx'
import { ErrorSummary } from '../parts/notice.tsx'
import { ButtonLink } from '../parts/site-link.tsx'
import type { Errors } from './form.ts'

type Refused = { title: string; lead?: string | null; errors: Errors; done: string; form: Child }

/** Shows the form again. `done` completes "Nothing was …". */
export function refusedForm(c: Http, status: 400 | 409, { title, lead, errors, done, form }: Refused) {
  c.status(status)
  return c.render(
    <>
      <PageHeading title={title} lead={lead} />
      <ErrorSummary errors={errors} done={done} />
      {form}
    </>,
    { tab: 'Content', title, isNarrow: true },
  )
}

type Page = Parameters<Http['render']>[1] & { title: string }
type Why = { lead?: string; why: Child; back: string; backText: string }

export function refusedPage(c: Http, status: 400 | 409, page: Page, { lead, why, back, backText }: Why) {
  c.status(status)
  return c.render(
    <>
      <PageHeading title={page.title} lead={lead} />
      {why}
      <div class="actions">
        <ButtonLink to={back} text={backText} />
      </div>
    </>,
    page,
  )
}
