/** What a form on the page of a post leads to where it is refused. */
import type { Child } from 'hono/jsx'
import type { Http } from '../../http/env.ts'
import type { Errors } from '../forms/form.ts'
import { itemPath } from '../parent-list.ts'
import { PageHeading } from '../parts/heading.tsx'
import { ErrorSummary, Notice } from '../parts/notice.tsx'
import { ButtonLink } from '../parts/site-link.tsx'

type Refused = { title: string; lead?: string | null; errors: Errors; done: string; form: Child }

/** The form again; `done` is what was not. */
export function refusedForm(c: Http, status: 400 | 409, { title, lead, errors, done, form }: Refused) {
  c.status(status)
  return c.render(
    <>
      <PageHeading title={title} lead={lead} />
      <ErrorSummary errors={errors} done={done} />
      {form}
    </>,
    { tab: 'Content', title },
  )
}

/** Why, and the way back. */
export function refusedPage(c: Http, slug: string, title: string, why: Child) {
  c.status(409)
  return c.render(
    <>
      <PageHeading title={title} />
      {why}
      <div class="actions">
        <ButtonLink to={itemPath('posts', slug)} text="Back to the post" />
      </div>
    </>,
    { tab: 'Content', title },
  )
}

export function blockedPage(c: Http, slug: string, title: string) {
  const why = 'Changes are requested. Resolve that on the page of the post first.'
  return refusedPage(c, slug, title, <Notice tone="danger">{why}</Notice>)
}
