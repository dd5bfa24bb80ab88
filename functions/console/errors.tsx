import type { ErrorHandler } from 'hono'
import { AppError, type ErrorCode, joinIssues } from '../../src/core/errors.ts'
import { isDatabaseUnreachable } from '../../src/db/client.ts'
import type { Committed } from '../../src/db/write.ts'
import type { Env, Http } from '../http/env.ts'
import { toErrorResponse } from '../http/errors.ts'
import { type Explained, goneArticle } from './content/gone.tsx'
import { captureForm, FormToSend } from './forms/preserved-form.tsx'
import { ButtonLink } from './parts/site-link.tsx'
import { SearchField } from './search/search.tsx'
import { safeNext } from './sign-in/session.ts'
import { signInAgainPage } from './sign-in/sign-in.tsx'

const TEXTS: Record<number, { title: string; advice: string }> = {
  403: {
    title: 'Not allowed',
    advice: 'This form was not sent from the console, so nothing was changed. Open the page and try again.',
  },
  404: {
    title: 'Page not found',
    advice: 'The address may be wrong, or the page may have been deleted.',
  },
  405: { title: 'Method not allowed', advice: 'The page exists but does not accept this type of request.' },
  413: {
    title: 'Too large',
    advice: 'The form is larger than we accept, so nothing was saved.',
  },
  500: {
    title: 'Something went wrong',
    advice:
      'This is our fault, not yours. Try again. If it keeps happening, send the request ID to the operator of the service.',
  },
}

const UNCHANGED = 'Nothing was changed'

/** For errors that need more than the text of their status. */
const REASONS: Partial<Record<ErrorCode, (c: Http, error: AppError) => Explained>> = {
  changes_requested: (c) => ({
    title: UNCHANGED,
    advice: 'Changes are requested. Resolve the request on the page of the post first.',
    next: (
      <ButtonLink to={new URL(c.req.url).pathname.replace(/\/[^/]+$/, '')} text="View post" look="primary" />
    ),
  }),
  secret_rotated: () => ({
    title: UNCHANGED,
    advice:
      'The secret was rotated after you opened this form. If you have not seen the new secret, rotate it again to get another one.',
  }),
  invalid_body: (_, { issues }) => ({ title: UNCHANGED, advice: `${joinIssues(issues)}.` }),
  role_required: (c) => ({
    title: 'Not allowed',
    advice: `Your role, ${c.get('person').role}, does not allow this${c.req.method === 'POST' ? ', so nothing was changed' : ''}. An admin can change your role under People.`,
  }),
  // Only cursors are checked.
  invalid_query: () => ({ title: 'Page not found', advice: 'This page link is no longer valid.' }),
  not_an_operator: (c) => ({
    title: 'Not an operator',
    advice: `${c.get('unknownAddress')} is not an operator here. An admin can add this address under People, or with \`operator add\` on the command line.`,
  }),
}

/** For a form about something that was deleted. */
const DELETED_MEANWHILE = {
  title: 'No longer there',
  advice: 'It was deleted in the meantime, so nothing was changed.',
}

/** For a form that failed with 500. */
const COMMITTED: Record<Committed, string> = {
  no: 'Nothing was saved.',
  yes: 'Some or all of your changes were saved, but the rest failed. Reload the page to see them.',
  unknown: 'Your changes may have been saved. Check the page in another tab before you try again.',
}

const DATABASE_UNREACHABLE = {
  title: 'The database is not responding',
  advice:
    'The console is unavailable until it does. You do not need to restart anything. Try again in a moment.',
}
const RETRY_AFTER_SECONDS = 10

export const errorPage: ErrorHandler<Env> = async (error, c) => {
  const { status, text } = toErrorResponse(error, c)
  const isUnreachable = status === 500 && isDatabaseUnreachable(error)
  const code = error instanceof AppError ? error.code : null
  const isArticle = code === 'post_not_found' || code === 'guide_not_found'
  const gone = isArticle ? await goneArticle(c).catch(() => null) : null
  if (gone instanceof Response) return gone
  const isGone = c.req.method === 'POST' && code !== 'not_found' && status === 404
  const { title, advice, next } = gone ?? explain()
  function explain(): Explained {
    if (isUnreachable) return DATABASE_UNREACHABLE
    if (isGone) return DELETED_MEANWHILE
    const reason = error instanceof AppError && REASONS[error.code]?.(c, error)
    return reason || TEXTS[status] || { title: UNCHANGED, advice: `${text}.` }
  }
  const hasForm = isGone || (c.req.method === 'POST' && (status === 400 || status === 409))
  const again = status === 500 ? await retryForm(c) : null
  const { site } = c.var as Partial<typeof c.var>
  c.header('Cache-Control', 'no-store')
  if (isUnreachable) c.header('Retry-After', String(RETRY_AFTER_SECONDS))
  c.status(isUnreachable ? 503 : status)
  if (isUnreachable && isPosted(c, 'sign-in')) return signInAgainPage(c, `${title}. Try again in a moment.`)
  return c.render(
    <>
      <h1>{title}</h1>
      <p>{advice}</p>
      {again}
      {status === 404 && !isGone && c.get('person') && (
        <form action="/console/search">
          <SearchField />
        </form>
      )}
      {status === 500 && (
        <p class="muted">
          Request ID <code>{c.get('requestId')}</code>
        </p>
      )}
      {!isUnreachable && (
        <div class="actions">
          {next}
          {hasForm && !next && (
            <ButtonLink to={safeNext(c, c.req.header('Referer'))} text="Back to the page" />
          )}
          {code === 'invalid_query' && <ButtonLink to={c.req.path} text="First page" look="primary" />}
          {site && <ButtonLink to="/overview" text="Overview" />}
          {site && !next && <ButtonLink to="/content" text="Content" />}
          {!site && <ButtonLink to="/console/sites" text="All sites" />}
        </div>
      )}
    </>,
    { title, isNarrow: true, bare: again && c.req.method === 'POST' ? 'wide' : !c.get('person') },
  )
}

const isPosted = (c: Http, page: string) => c.req.method === 'POST' && c.req.path === `/console/${page}`

/** Offers to post the form again, with what was typed, or to reload the page. */
async function retryForm(c: Http) {
  const { pathname, search } = new URL(c.req.url)
  const path = pathname + search
  if (c.req.method !== 'POST') {
    return (
      <p>
        <ButtonLink to={path} text="Try again" look="primary" />
      </p>
    )
  }
  if (isPosted(c, 'sign-in') || isPosted(c, 'sign-out')) return null
  const committed = c.get('ctx')?.written.committed ?? 'no'
  if (committed === 'yes') return <p>{COMMITTED.yes}</p>
  const form = await captureForm(c)
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
        <p>Your input is too long to keep on this page. Go back in your browser to find it.</p>
      )}
    </>
  )
}
