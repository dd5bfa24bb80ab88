/** Error pages, in plain words. */
import type { ErrorHandler } from 'hono'
import { AppError, type ErrorCode } from '../../src/errors.ts'
import type { Env, Http } from '../http/env.ts'
import { toErrorResponse } from '../http/errors.ts'

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
    advice: `${c.get('stranger')} is not an operator here. An admin can add that address under People, or by \`operator add\` on the command line.`,
  }),
}

export const errorPage: ErrorHandler<Env> = (error, c) => {
  const { status, text } = toErrorResponse(error, c)
  const reason = error instanceof AppError ? REASONS[error.code]?.(c) : undefined
  const { title, advice } = reason ?? TEXTS[status] ?? { title: 'Request refused', advice: `${text}.` }
  c.header('Cache-Control', 'no-store')
  c.status(status)
  return c.render(
    <>
      <h1>{title}</h1>
      <p>{advice}</p>
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
