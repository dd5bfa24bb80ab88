/** Error pages, in plain words. */
import type { ErrorHandler } from 'hono'
import { isUnanswered } from '../../src/db/client.ts'
import type { Committed } from '../../src/db/write.ts'
import { AppError, type ErrorCode } from '../../src/foundation/errors.ts'
import type { Env, Http } from '../http/env.ts'
import { toErrorResponse } from '../http/errors.ts'
import { FormToSend, formToKeep, hasInput } from './kept-form.tsx'
import { safeNext } from './session.ts'

const TEXTS: Record<number, { title: string; advice: string }> = {
  403: {
    title: 'Not allowed',
    advice: 'This form did not come from the console, so nothing was done. Open the page and try again.',
  },
  404: {
    title: 'Page not found',
    advice: 'The address may be mistyped, or the page no longer exists.',
  },
  405: { title: 'Method not allowed', advice: 'The page exists, but does not accept this kind of request.' },
  413: { title: 'Too large', advice: 'The form is larger than its fields allow. Nothing was saved.' },
  500: {
    title: 'Something went wrong',
    advice:
      'This is our fault, not yours. Try again. If it keeps happening, look for the request ID in the logs.',
  },
}

/** Where a status has several reasons. */
const REASONS: Partial<Record<ErrorCode, (c: Http) => { title: string; advice: string }>> = {
  role_required: (c) => ({
    title: 'Not allowed',
    advice: `Your role, ${c.get('person').role}, does not allow this, so nothing was done. An admin can change your role, under People.`,
  }),
  not_an_operator: (c) => ({
    title: 'Not an operator',
    advice: `${c.get('unknownAddress')} is not an operator here. An admin can add that address under People, or by \`operator add\` on the command line.`,
  }),
}

/** Of a form that failed with 500. */
const COMMITTED: Record<Committed, string> = {
  no: 'Nothing was saved: send it again.',
  yes: 'What you sent was saved, at least in part, but the rest failed. Open the page again to see it.',
  unknown:
    'It may have been saved all the same: open the page in another tab and look, before you send it again.',
}

const DATABASE_AWAY = {
  title: 'The database did not answer',
  advice: 'The console works again as soon as it does. Nothing has to be restarted.',
}

const failureOf = (error: Error, status: number) =>
  status === 500 && isUnanswered(error) ? DATABASE_AWAY : undefined

export const errorPage: ErrorHandler<Env> = async (error, c) => {
  const { status, text } = toErrorResponse(error, c)
  const reason = error instanceof AppError ? REASONS[error.code]?.(c) : failureOf(error, status)
  const isForm = status === 500 && c.req.method === 'POST' && !/\/sign-(?:in|out)$/.test(c.req.path)
  const committed = c.get('ctx')?.written.committed ?? 'no'
  const form = isForm && committed !== 'yes' ? await formToKeep(c) : null
  const { title, advice } = reason ?? TEXTS[status] ?? { title: 'Request refused', advice: `${text}.` }
  c.header('Cache-Control', 'no-store')
  c.status(status)
  return c.render(
    <>
      <h1>{title}</h1>
      <p>{advice}</p>
      {isForm && <p>{COMMITTED[committed]}</p>}
      {form && hasInput(form) && (
        <FormToSend
          action={new URL(c.req.url).pathname + new URL(c.req.url).search}
          from={safeNext(c, c.req.header('Referer'))}
          form={form}
          submit="Send again"
        />
      )}
      {status === 500 && (
        <p class="muted">
          Request ID <code>{c.get('requestId')}</code>
        </p>
      )}
      <p>
        <a href="/console/sites">All sites</a>
      </p>
    </>,
    { title, bare: true },
  )
}
