/** Error pages, in plain words. */
import type { ErrorHandler } from 'hono'
import { AppError, type ErrorCode } from '../../src/core/errors.ts'
import { isUnanswered } from '../../src/db/client.ts'
import type { Committed } from '../../src/db/write.ts'
import type { Env, Http } from '../http/env.ts'
import { toErrorResponse } from '../http/errors.ts'
import { goneArticle } from './content/gone.tsx'
import { FormToSend, formToKeep } from './forms/kept-form.tsx'
import { safeNext } from './sign-in/session.ts'
import { signInAgainPage } from './sign-in/sign-in.tsx'

const TEXTS: Record<number, { title: string; advice: string }> = {
  403: {
    title: 'Not allowed',
    advice: 'This form did not come from the console, so nothing was done. Open the page and try again.',
  },
  404: {
    title: 'Page not found',
    advice: 'The address may be mistyped, or what it shows was deleted.',
  },
  405: { title: 'Method not allowed', advice: 'The page exists, but does not accept this kind of request.' },
  413: { title: 'Too large', advice: 'The form is larger than its fields allow. Nothing was saved.' },
  500: {
    title: 'Something went wrong',
    advice:
      'This is our fault, not yours. Try again. If it keeps happening, give the request ID to whoever runs the service.',
  },
}

/** Where a status has several reasons. */
const REASONS: Partial<Record<ErrorCode, (c: Http) => { title: string; advice: string } | undefined>> = {
  role_required: (c) => ({
    title: 'Not allowed',
    advice: `Your role, ${c.get('person').role}, does not allow this, so nothing was done. An admin can change your role, under People.`,
  }),
  body_too_large: (c) =>
    c.req.path.endsWith('/settings/transfer')
      ? {
          title: 'Too large',
          advice: `Files up to 8 MiB are imported here, and this one is larger. On the command line: npm run -s admin -- import ndjson ${c.req.path.split('/')[3]} FILE.ndjson`,
        }
      : undefined,
  not_an_operator: (c) => ({
    title: 'Not an operator',
    advice: `${c.get('unknownAddress')} is not an operator here. An admin can add that address under People, or by \`operator add\` on the command line.`,
  }),
}

/** For a form about something that is not there. */
const NO_LONGER_THERE = {
  title: 'No longer there',
  advice: 'What this form is about was deleted meanwhile, so nothing was done.',
}

/** For a form that failed. */
const COMMITTED: Record<Committed, string> = {
  no: 'Nothing was saved.',
  yes: 'What you sent was saved, at least in part, but the rest failed. Open the page again to see it.',
  unknown:
    'It may have been saved all the same: open the page in another tab and look, before you send it again.',
}

const DATABASE_AWAY = {
  title: 'The database did not answer',
  advice: 'Until it does, no page of the console opens. Nothing has to be restarted: try again in a moment.',
}
const RETRY_AFTER_SECONDS = 10

export const errorPage: ErrorHandler<Env> = async (error, c) => {
  const { status, text } = toErrorResponse(error, c)
  const isAway = status === 500 && isUnanswered(error)
  const code = error instanceof AppError ? error.code : null
  if (code === 'post_not_found' || code === 'guide_not_found') {
    const answer = await goneArticle(c).catch(() => null)
    if (answer) return answer
  }
  const isGone = c.req.method === 'POST' && code !== 'not_found' && status === 404
  const reason = isAway ? DATABASE_AWAY : isGone ? NO_LONGER_THERE : code && REASONS[code]?.(c)
  const { title, advice } = reason ?? TEXTS[status] ?? { title: 'Request refused', advice: `${text}.` }
  const again = status === 500 ? await whatToSendAgain(c) : null
  c.header('Cache-Control', 'no-store')
  if (isAway) c.header('Retry-After', String(RETRY_AFTER_SECONDS))
  c.status(isAway ? 503 : status)
  if (isAway && isPosted(c, 'sign-in')) return signInAgainPage(c, `${title}. Try again in a moment.`)
  return c.render(
    <>
      <h1>{title}</h1>
      <p>{advice}</p>
      {again}
      {status === 500 && (
        <p class="muted">
          Request ID <code>{c.get('requestId')}</code>
        </p>
      )}
      {!isAway && (
        <p>
          {isGone && (
            <>
              <a href={safeNext(c, c.req.header('Referer'))}>Back to the page</a> ·{' '}
            </>
          )}
          <a href="/console/sites">All sites</a>
        </p>
      )}
    </>,
    { title, bare: again && c.req.method === 'POST' ? 'wide' : true },
  )
}

const isPosted = (c: Http, page: string) => c.req.method === 'POST' && c.req.path === `/console/${page}`

/** The form as it was typed, or the page, for whoever tries again. */
async function whatToSendAgain(c: Http) {
  const { pathname, search } = new URL(c.req.url)
  const path = pathname + search
  if (c.req.method !== 'POST') {
    return (
      <p>
        <a class="button primary" href={path}>
          Try again
        </a>
      </p>
    )
  }
  if (isPosted(c, 'sign-in') || isPosted(c, 'sign-out')) return null
  const committed = c.get('ctx')?.written.committed ?? 'no'
  if (committed === 'yes') return <p>{COMMITTED.yes}</p>
  const form = await formToKeep(c)
  return (
    <>
      <p>{COMMITTED[committed]}</p>
      {form ? (
        <FormToSend
          action={path}
          from={safeNext(c, c.req.header('Referer'))}
          form={form}
          submit="Try again"
        />
      ) : (
        <p>What you sent is too long to be kept on this page: go back in your browser to find it.</p>
      )}
    </>
  )
}
