/** What could not be shown, in plain words. */
import type { ErrorHandler } from 'hono'
import type { Env } from '../http/env.ts'
import { explain } from '../http/errors.ts'
import { barePage } from './layout.tsx'

const WORDS: Record<number, { title: string; advice: string }> = {
  403: {
    title: 'Not allowed',
    advice:
      'This form was not sent from the console itself, so nothing was done. Open the page and try again.',
  },
  404: {
    title: 'Page not found',
    advice: 'The address may be mistyped, or what it named is gone.',
  },
  405: { title: 'Not possible here', advice: 'This address exists, but cannot be asked in this way.' },
  413: { title: 'Too large', advice: 'The form is larger than its fields can be. Nothing was saved.' },
  500: {
    title: 'Something went wrong',
    advice: 'This is our failure, not yours. Try again; if it stays, look for the request id in the logs.',
  },
}

export const errorPage: ErrorHandler<Env> = (error, c) => {
  const { status, text } = explain(error, c)
  const { title, advice } = WORDS[status] ?? { title: 'Refused', advice: `${text}.` }
  c.header('Cache-Control', 'no-store')
  return barePage(
    c,
    { title, status },
    <>
      <h1>{title}</h1>
      <p>{advice}</p>
      {status === 500 && (
        <p class="muted">
          Request id <code>{c.get('requestId')}</code>
        </p>
      )}
      <p>
        <a href="/console/sites">All sites</a>
      </p>
    </>,
  )
}
