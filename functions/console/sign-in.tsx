/** Signing in with the operator's token, and signing out. */
import { Hono } from 'hono'
import { end, signIn as exchange } from '../../src/sessions.ts'
import type { Env, Http } from '../http/env.ts'
import { readForm } from './form.ts'
import { barePage } from './layout.tsx'
import { TextField } from './parts/field.tsx'
import { Notice } from './parts/notice.tsx'
import { forgetSession, keepSession, personOf, safeNext, sessionOf } from './session.ts'

export const signIn = new Hono<Env>()

signIn.get('/sign-in', async (c) => {
  const next = safeNext(c, c.req.query('next'))
  if (await personOf(c)) return c.redirect(next, 303)
  return signInPage(c, { next, notice: NOTICES.find(([name]) => c.req.query(name))?.[1] })
})

const NOTICES = [
  ['ended', 'You are not signed in, or no longer. Nothing was changed: sign in and do it again.'],
  ['out', 'You are signed out.'],
] as const

signIn.post('/sign-in', async (c) => {
  const form = await readForm(c)
  const next = safeNext(c, form.next)
  const address = c.req.header('CF-Connecting-IP') ?? 'unknown'
  const answer = await exchange(c.get('ctx'), { token: form.token?.trim() ?? '', address })
  if ('session' in answer) {
    await keepSession(c, answer.session)
    return c.redirect(next, 303)
  }
  if (answer.refused === 'wrong_token')
    return signInPage(c, { next, error: 'is not the right one', status: 400 })
  c.header('Retry-After', String(answer.retryAfterSeconds))
  const wait = `Too many wrong tries. Try again in ${seconds(answer.retryAfterSeconds)}.`
  return signInPage(c, { next, problem: wait, status: 429 })
})

signIn.post('/sign-out', async (c) => {
  const session = await sessionOf(c)
  if (session) await end(c.get('ctx'), session)
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
      <form method="post" action="/console/sign-in" class="fields">
        <input type="hidden" name="next" value={next} />
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

function seconds(count: number): string {
  return count === 1 ? '1 second' : `${count} seconds`
}
