import type { Child } from 'hono/jsx'
import type { Http } from '../../http/env.ts'
import { ErrorSummary, PageHeading } from '../parts/page.tsx'
import type { Errors } from './form.ts'

type Page = Parameters<Http['render']>[1] & { title: string }
/** `done` completes "Nothing was …". */
type Above = { lead?: Child; errors: Errors; done?: string; status?: 400 | 409 }

export function formPage(c: Http, page: Page, { lead, errors, done, status = 400 }: Above, form: Child) {
  if (Object.keys(errors).length > 0) c.status(status)
  return c.render(
    <>
      <PageHeading title={page.title} lead={lead} />
      <ErrorSummary errors={errors} done={done} />
      {form}
    </>,
    { ...page, isNarrow: true },
  )
}
