/** Signing in with a token, and signing out. The requested page or posted form continues after signing in. */
import { createMiddleware } from 'hono/factory'
import { countAttempt } from '../../../src/access/attempts.ts'
import { explainToken, findByToken } from '../../../src/people/operator-tokens.ts'
import {
  createSession,
  endSession,
  findSession,
  isTokenSignInAllowed,
  type SessionEnd,
} from '../../../src/people/sessions.ts'
import { createApp, type Env, type Http } from '../../http/env.ts'
import { logFailedSignIn, setActorOf } from '../../http/operator.ts'
import { addressOf } from '../../http/request.ts'
import { type FormEntries, limitForm, limitForms, readForm } from '../forms/form.ts'
import {
  captureForm,
  continuePage,
  hasInput,
  readPreservedForm,
  toPreservedFields,
} from '../forms/preserved-form.tsx'
import { TextField } from '../parts/fields/field.tsx'
import { Form } from '../parts/fields/form.tsx'
import { Notice, PageHeading } from '../parts/page.tsx'
import { formatQuantity } from '../parts/quantity.ts'
import { forgetRecentSites } from '../recent-sites.ts'
import { browserOf } from './browser.ts'
import { clearSessionCookie, findPerson, readSessionCookie, safeNext, setSessionCookie } from './session.ts'

/** Fits a token and the longest kept form of a browser that never signed in. */
const limitSignIn = limitForms(128 * 1024)

export const signIn = createApp()

/** Sets `person` and the actor, or asks to sign in and keeps a posted form. */
export const requireSignIn = createMiddleware<Env>(async function requireSignIn(c, next) {
  const person = await findPerson(c)
  if (person) {
    c.set('person', person)
    setActorOf(c, person, 'console')
    return next()
  }
  const { pathname, search } = new URL(c.req.url)
  const path = pathname + search
  if (c.req.method === 'GET' || c.req.method === 'HEAD') {
    return c.redirect(`/console/sign-in?${new URLSearchParams({ next: path })}`, 303)
  }
  const from = safeNext(c, c.req.header('Referer'))
  const isForm = c.req.method === 'POST' && isTokenSignInAllowed(c.get('ctx').config)
  const kept = isForm ? await captureForm(c) : null
  if (!kept || !hasInput(kept)) {
    return c.redirect(`/console/sign-in?${new URLSearchParams({ ended: '1', next: from })}`, 303)
  }
  c.status(401)
  const notice = [
    sessionEndText(c),
    'You are no longer signed in, so nothing was changed. This page keeps your form. Sign in to continue.',
  ]
    .filter(Boolean)
    .join(' ')
  return signInPage(c, { next: path, kept, from, notice })
})

signIn.get('/sign-in', async (c) => {
  const next = safeNext(c, c.req.query('next'))
  if (await findPerson(c)) return c.redirect(next, 303)
  if (!isTokenSignInAllowed(c.get('ctx').config)) return accessPage(c)
  const notices = [sessionEndText(c), signOutText(c)]
  return signInPage(c, { next, notice: notices.filter(Boolean).join(' ') || undefined })
})

/** The notice for the redirects with `?ended=` and `?out=`, the number of ended sessions. */
function signOutText(c: Http): string | undefined {
  if (c.req.query('ended')) return 'You are not signed in, so nothing was changed. Sign in and try again.'
  const out = Number(c.req.query('out') ?? 0)
  if (!(out > 0)) return undefined
  return out > 1
    ? `You are signed out everywhere. ${formatQuantity(out, 'session')} ended.`
    : 'You are signed out.'
}

function sessionEndText(c: Http): string | undefined {
  const end: SessionEnd | undefined = c.get('sessionEnd')
  if (typeof end !== 'object') return end && SESSION_ENDS[end]
  const { endedBy, name } = end
  return endedBy === name ? 'You ended this session from another one.' : `${endedBy} ended your session.`
}

const SESSION_ENDS: Record<SessionEnd & string, string> = {
  revoked: 'The token or link that you signed in with was revoked or has expired.',
  expired: 'Your session expired after twelve hours.',
  gone: 'Your session has ended because it was signed out or you were removed from People.',
}

/** Errors for tokens that used to work. */
const TOKEN_ERRORS = {
  revoked: 'This token was revoked: an admin can create another one under People',
  expired: 'This token has expired: an admin can create another one under People',
}

signIn.post('/sign-in', limitSignIn, async (c) => {
  const ctx = c.get('ctx')
  const next = safeNext(c, c.req.query('next'))
  const kept = c.req.query('kept') ? await readPreservedForm(c) : undefined
  const from = safeNext(c, c.req.query('from'))
  if (!isTokenSignInAllowed(ctx.config)) {
    c.status(403)
    return accessPage(c)
  }
  // Counts before reading the token, so that a malformed form counts too.
  const { problem, refund } = await countSignIn(c)
  if (problem) return signInPage(c, { next, kept, from, problem })
  const { token = '' } = await readForm(c)
  const holder = await findByToken(ctx, token.trim())
  if (!holder) {
    logFailedSignIn(c, 'console')
    c.status(400)
    const end = await explainToken(ctx, token.trim())
    return signInPage(c, { next, kept, from, error: end ? TOKEN_ERRORS[end] : 'This token is not valid' })
  }
  ctx.defer(refund())
  setActorOf(c, holder, 'console')
  await setSessionCookie(c, await createSession(ctx, holder, browserOf(c)))
  if (!kept) return c.redirect(next, 303)
  c.set('person', { ...holder, by: 'token', session: null })
  return continuePage(c, { action: next, from, form: kept })
})

/** Counts a sign-in attempt. @returns a problem, with status 429, or a refund for a successful one */
export async function countSignIn(c: Http) {
  const { exceeded, retryAfterSeconds, refund } = await countAttempt(c.get('ctx'), 'console', addressOf(c))
  if (!exceeded) return { problem: null, refund }
  c.header('Retry-After', String(retryAfterSeconds))
  c.status(429)
  const wait = formatQuantity(retryAfterSeconds, 'second')
  return { problem: `Too many failed attempts. Try again in ${wait}.`, refund }
}

/** Asks for the token again after a failed attempt, and keeps the form. */
export async function signInAgainPage(c: Http, problem: string) {
  const [next, from] = [safeNext(c, c.req.query('next')), safeNext(c, c.req.query('from'))]
  const kept = c.req.query('kept') ? await readPreservedForm(c) : undefined
  return signInPage(c, { next, kept, from, problem })
}

signIn.post('/sign-out', limitForm, async (c) => {
  const session = await readSessionCookie(c)
  const { holder: person } = session ? await findSession(c.get('ctx'), session) : {}
  if (session && person) {
    setActorOf(c, person, 'console')
    await endSession(c.get('ctx'), session)
  }
  clearSessionCookie(c)
  forgetRecentSites(c)
  return c.redirect('/console/sign-in?out=1', 303)
})

type SignInPage = {
  next: string
  /** The kept form that was posted to `next`. */
  kept?: FormEntries | undefined
  /** The page of that form. */
  from?: string
  error?: string
  problem?: string
  notice?: string | undefined
}

/** Names the service, so that nobody gives a token to another one. */
export function barePage(c: Http, content: Parameters<Http['render']>[0]) {
  return c.render(
    <>
      <PageHeading title="Sign in to the content console" lead={new URL(c.req.url).host} />
      {content}
    </>,
    { title: 'Sign in', bare: true },
  )
}

function signInPage(c: Http, { next, kept, from, error, problem, notice }: SignInPage) {
  const query = new URLSearchParams({ next, ...(kept && { kept: '1', ...(from && { from }) }) })
  return barePage(
    c,
    <>
      {problem && <Notice tone="danger">{problem}</Notice>}
      {notice && <Notice tone="info">{notice}</Notice>}
      <Form
        action={`/console/sign-in?${query}`}
        submit="Sign in"
        enctype={kept ? 'multipart/form-data' : undefined}
        hidden={toPreservedFields(kept ?? [])}
      >
        <TextField
          label="Token"
          name="token"
          type="password"
          autocomplete="current-password"
          required
          autofocus
          error={error}
          hint={
            c.get('ctx').config.ALLOW_LOOPBACK_WEBHOOKS ? (
              <>
                Your own token, or the <code>OPERATOR_TOKEN</code>, which <code>npm start</code> writes to{' '}
                <code>.local/service.json</code>.
              </>
            ) : (
              <>
                An admin creates your token under People. The first admin uses <code>OPERATOR_TOKEN</code>.
              </>
            )
          }
        />
      </Form>
    </>,
  )
}

/** Shown if only Access can sign in, but has not. */
export function accessPage(c: Http) {
  return barePage(
    c,
    <p>
      Cloudflare Access signs you in to this console at the address that it protects. Signing in with a token
      is turned off.
    </p>,
  )
}
