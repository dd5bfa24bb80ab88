/** Signing in with the operator's token, and signing out. */
import { countAttempt } from '../../src/attempts.ts'
import { createSession, endSession, isTokenSignInAllowed } from '../../src/sessions.ts'
import { createApp } from '../http/create-app.ts'
import type { Http } from '../http/env.ts'
import { addressOf } from '../http/operator.ts'
import { limitBody } from '../http/request.ts'
import { readForm } from './form.ts'
import { TextField } from './parts/field.tsx'
import { Form } from './parts/form.tsx'
import { Notice } from './parts/notice.tsx'
import { formatQuantity } from './parts/quantity.ts'
import { clearSessionCookie, findPerson, readSessionCookie, safeNext, setSessionCookie } from './session.ts'

const MAX_FORM_BYTES = 16 * 1024

export const signIn = createApp()

signIn.get('/sign-in', async (c) => {
  const next = safeNext(c, c.req.query('next'))
  if (await findPerson(c)) return c.redirect(next, 303)
  if (!isTokenSignInAllowed(c.get('ctx').config)) return accessPage(c)
  return signInPage(c, { next, notice: NOTICES.find(([name]) => c.req.query(name))?.[1] })
})

const NOTICES = [
  ['ended', 'You are not signed in. Nothing was changed. Sign in and try again.'],
  ['out', 'You are signed out.'],
] as const

signIn.post('/sign-in', limitBody(MAX_FORM_BYTES), async (c) => {
  const ctx = c.get('ctx')
  const next = safeNext(c, c.req.query('next'))
  if (!isTokenSignInAllowed(ctx.config)) {
    c.status(403)
    return accessPage(c)
  }
  // Counted before the form is read, so that a malformed one counts too.
  const attempt = await countAttempt(ctx, addressOf(c))
  if (attempt.exceeded) {
    c.header('Retry-After', String(attempt.retryAfterSeconds))
    c.status(429)
    const problem = `Too many failed attempts. Try again in ${formatQuantity(attempt.retryAfterSeconds, 'second')}.`
    return signInPage(c, { next, problem })
  }
  const { token = '' } = await readForm(c)
  const session = await createSession(ctx, token.trim())
  if (!session) {
    c.status(400)
    return signInPage(c, { next, error: 'is not correct' })
  }
  ctx.defer(attempt.refund())
  await setSessionCookie(c, session)
  return c.redirect(next, 303)
})

signIn.post('/sign-out', async (c) => {
  const session = await readSessionCookie(c)
  if (session) await endSession(c.get('ctx'), session)
  clearSessionCookie(c)
  return c.redirect('/console/sign-in?out=1', 303)
})

type SignInPage = { next: string; error?: string; problem?: string; notice?: string | undefined }

function signInPage(c: Http, { next, error, problem, notice }: SignInPage) {
  return c.render(
    <>
      <h1>Sign in</h1>
      {problem && <Notice tone="danger">{problem}</Notice>}
      {notice && <Notice tone="info">{notice}</Notice>}
      <Form action={`/console/sign-in?${new URLSearchParams({ next })}`} submit="Sign in">
        <TextField
          label="Operator token"
          name="token"
          type="password"
          autocomplete="current-password"
          required
          error={error}
          hint="The OPERATOR_TOKEN secret of this deployment. On a laptop, npm start writes it to service.json in its folder, .local."
        />
      </Form>
    </>,
    { title: 'Sign in', bare: true },
  )
}

/** Shown where only Access signs people in, to someone whom it has not. */
function accessPage(c: Http) {
  return c.render(
    <>
      <h1>Sign in</h1>
      <p>
        Cloudflare Access signs you in to this console, at the address it protects. Signing in with the
        operator token is switched off.
      </p>
    </>,
    { title: 'Sign in', bare: true },
  )
}
