/** Who is there: a signed cookie with the id of a live session, or a person whom Cloudflare Access names. */
import { deleteCookie, getSignedCookie, setSignedCookie } from 'hono/cookie'
import { createMiddleware } from 'hono/factory'
import { isSessionLive, SESSION_SECONDS, takesToken } from '../../src/sessions.ts'
import type { Env, Http, Person } from '../http/env.ts'
import { accessPerson } from './access.ts'

const COOKIE = 'console_session'
const PATH = '/console'
const HOME = '/console/sites'

/** Lets a person through and sets `person`; anybody else is sent to sign in, and what they posted is not done. */
export const signedIn = createMiddleware<Env>(async function signedIn(c, next) {
  const person = await personOf(c)
  if (person) {
    c.set('person', person)
    return next()
  }
  const isRead = c.req.method === 'GET' || c.req.method === 'HEAD'
  const { pathname, search } = new URL(c.req.url)
  const query: Record<string, string> = isRead ? { next: pathname + search } : { ended: '1' }
  return c.redirect(`${PATH}/sign-in?${new URLSearchParams(query)}`, 303)
})

/** With one query for a cookie that we signed where a token signs in, and none otherwise. */
export async function personOf(c: Http): Promise<Person | null> {
  const person = await accessPerson(c)
  if (person || !takesToken(c.get('ctx').config)) return person
  const session = await sessionOf(c)
  return session && (await isSessionLive(c.get('ctx'), session)) ? { email: null, by: 'token' } : null
}

/** The id in the cookie, if we signed it. */
export async function sessionOf(c: Http): Promise<string | null> {
  return (await getSignedCookie(c, signingKey(c), COOKIE)) || null
}

export async function keepSession(c: Http, session: string): Promise<void> {
  await setSignedCookie(c, COOKIE, session, signingKey(c), {
    path: PATH,
    httpOnly: true,
    secure: isSecure(c),
    sameSite: 'Lax',
    maxAge: SESSION_SECONDS,
  })
}

export function forgetSession(c: Http): void {
  deleteCookie(c, COOKIE, { path: PATH, secure: isSecure(c) })
}

/** A path of the console that may be gone to after signing in; home for anything else. */
export function safeNext(c: Http, next: string | undefined): string {
  const { origin } = new URL(c.req.url)
  const url = URL.canParse(next ?? '', origin) ? new URL(next!, origin) : null
  const ours = url?.origin === origin && /^\/console(\/|$)/.test(url.pathname)
  return ours && !/^\/console\/sign-/.test(url.pathname) ? url.pathname + url.search : HOME
}

/** Made of the operator's token, so that another token ends every session. */
function signingKey(c: Http): string {
  return `console-session:${c.get('ctx').config.OPERATOR_TOKEN}`
}

function isSecure(c: Http): boolean {
  return new URL(c.req.url).protocol === 'https:'
}
