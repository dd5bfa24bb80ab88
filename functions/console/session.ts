/** Who is signed in: by a signed cookie with the id of a live session, or by Cloudflare Access. */
import { deleteCookie, getSignedCookie, setSignedCookie } from 'hono/cookie'
import { createMiddleware } from 'hono/factory'
import { isSessionLive, isTokenSignInAllowed, SESSION_SECONDS } from '../../src/sessions.ts'
import type { Env, Http, Person } from '../http/env.ts'
import { accessPerson } from './access.ts'

const COOKIE = 'console_session'
const PATH = '/console'
const HOME = '/console/sites'

/** Sets `person`. Anyone else is redirected to sign in, and a form they posted does nothing. */
export const requireSignIn = createMiddleware<Env>(async function requireSignIn(c, next) {
  const person = await findPerson(c)
  if (person) {
    c.set('person', person)
    return next()
  }
  const isRead = c.req.method === 'GET' || c.req.method === 'HEAD'
  const { pathname, search } = new URL(c.req.url)
  const query: Record<string, string> = isRead ? { next: pathname + search } : { ended: '1' }
  return c.redirect(`${PATH}/sign-in?${new URLSearchParams(query)}`, 303)
})

/** Asks the database once, and only about a cookie that we signed, where the token signs in. */
export async function findPerson(c: Http): Promise<Person | null> {
  const person = await accessPerson(c)
  if (person || !isTokenSignInAllowed(c.get('ctx').config)) return person
  const session = await readSessionCookie(c)
  return session && (await isSessionLive(c.get('ctx'), session)) ? { email: null, by: 'token' } : null
}

/** The id in the cookie, if we signed it. */
export async function readSessionCookie(c: Http): Promise<string | null> {
  return (await getSignedCookie(c, signingKey(c), COOKIE)) || null
}

export async function setSessionCookie(c: Http, session: string): Promise<void> {
  await setSignedCookie(c, COOKIE, session, signingKey(c), {
    path: PATH,
    httpOnly: true,
    secure: isSecure(c),
    sameSite: 'Lax',
    maxAge: SESSION_SECONDS,
  })
}

export function clearSessionCookie(c: Http): void {
  deleteCookie(c, COOKIE, { path: PATH, secure: isSecure(c) })
}

/** Where to go after signing in: a page of the console, and its home for anything else. */
export function safeNext(c: Http, next: string | undefined): string {
  const { origin } = new URL(c.req.url)
  const url = URL.canParse(next ?? '', origin) ? new URL(next!, origin) : null
  const ours = url?.origin === origin && /^\/console(\/|$)/.test(url.pathname)
  return ours && !/^\/console\/sign-/.test(url.pathname) ? url.pathname + url.search : HOME
}

/** Derived from the operator's token, so that a new token ends every session. */
function signingKey(c: Http): string {
  return `console-session:${c.get('ctx').config.OPERATOR_TOKEN}`
}

function isSecure(c: Http): boolean {
  return new URL(c.req.url).protocol === 'https:'
}
