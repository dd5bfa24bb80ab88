/** Signing in with the operator's token, and signing out. */
import { Hono } from 'hono'
import { countAttempt } from '../../src/attempts.ts'
import { createSession, endSession, takesToken } from '../../src/sessions.ts'
import type { Env, Http } from '../http/env.ts'
import { addressOf } from '../http/operator.ts'
import { limitBody } from '../http/request.ts'
import { readForm } from './form.ts'
import { barePage } from './layout.tsx'
import { TextField } from './parts/field.tsx'
import { Notice } from './parts/notice.tsx'
import { forgetSession, keepSession, personOf, safeNext, sessionOf } from './session.ts'

const MAX_FORM_BYTES = 16 * 1024

export const signIn = new Hono<Env>()

signIn.get('/sign-in', async (c) => {
  const next = safeNext(c, c.req.query('next'))
  if (await personOf(c)) return c.redirect(next, 303)
  if (!takesToken(c.get('ctx').config)) return accessPage(c, 200)
  return signInPage(c, { next, notice: NOTICES.find(([name]) => c.req.query(name))?.[1] })
})

const NOTICES = [
  ['ended', 'You are not signed in, or no longer. Nothing was changed: sign in and do it again.'],
  ['out', 'You are signed out.'],
] as const

signIn.post('/sign-in', limitBody(MAX_FORM_BYTES), async (c) => {
  const ctx = c.get('ctx')
  const next = safeNext(c, c.req.query('next'))
  if (!takesToken(ctx.config)) return accessPage(c, 403)
  // Counted before anything that was sent is read.
  const attempt = await countAttempt(ctx, addressOf(c))
  if (attempt.exceeded) {
    c.header('Retry-After', String(attempt.retryAfterSeconds))
    const wait = `Too many failed attempts. Try again in ${seconds(attempt.retryAfterSeconds)}.`
    return signInPage(c, { next, problem: wait, status: 429 })
  }
  const { token = '' } = await readForm(c)
  const session = await createSession(ctx, token.trim())
  if (!session) return signInPage(c, { next, error: 'is not the right one', status: 400 })
  ctx.defer(attempt.refund())
  await keepSession(c, session)
  return c.redirect(next, 303)
})

signIn.post('/sign-out', async (c) => {
  const session = await sessionOf(c)
  if (session) await endSession(c.get('ctx'), session)
  forgetSession(c)
  return c.redirect('/console/sign-in?out=1', 303)
})

type SignInPage = {
  next: string
  error?: string
  problem?: string
  notice?: string | undefined
  status?: 400 | 429
}

function signInPage(c: Http, { next, error, problem, notice, status = 200 as never }: SignInPage) {
  return barePage(
    c,
    { title: 'Sign in', status },
    <>
      <h1>Sign in</h1>
      {problem && <Notice tone="danger">{problem}</Notice>}
      {notice && <Notice tone="info">{notice}</Notice>}
      <form method="post" action={`/console/sign-in?${new URLSearchParams({ next })}`} class="fields">
        <TextField
          label="Operator token"
          name="token"
          type="password"
          autocomplete="current-password"
          required
          error={error}
          hint="The secret OPERATOR_TOKEN of this deployment. On a laptop, npm start keeps it in .local/service.json."
        />
        <div class="actions">
          <button type="submit" class="button primary">
            Sign in
          </button>
        </div>
      </form>
    </>,
  )
}

/** Where Access names who is there, and has not. */
function accessPage(c: Http, status: 200 | 403) {
  return barePage(
    c,
    { title: 'Sign in', status },
    <>
      <h1>Sign in</h1>
      <p>
        Cloudflare Access signs you in to this console, at the address that it guards. Signing in with the
        operator token is switched off.
      </p>
    </>,
  )
}

function seconds(count: number): string {
  return count === 1 ? '1 second' : `${count} seconds`
}
