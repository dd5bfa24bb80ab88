/** The signed-in person, by a signed session cookie or by Cloudflare Access. */
import { deleteCookie, getSignedCookie, setSignedCookie } from 'hono/cookie'
import { AppError } from '../../../src/core/errors.ts'
import { signingSecret } from '../../../src/crypto/signing-secret.ts'
import { findByName } from '../../../src/people/operators.ts'
import {
  ENDED_SESSION_SECONDS,
  findSession,
  isTokenSignInAllowed,
  SESSION_SECONDS,
} from '../../../src/people/sessions.ts'
import type { Http, Person } from '../../http/env.ts'
import { logFailedSignIn } from '../../http/operator.ts'
import { CLAIMS, SIGNATURE } from '../actions/signed-notices.ts'
import { recentSites } from '../recent-sites.ts'
import { accessAddress } from './access.ts'

const COOKIE = 'console_session'
const PATH = '/console'
export const HOME = '/console/overview'

/**
 * Sets `sessionEnd` if the session has ended. Queries the database only for a verified address or a cookie that we signed.
 *
 * @throws AppError not_an_operator for an unknown address
 */
export async function findPerson(c: Http): Promise<Person | null> {
  const ctx = c.get('ctx')
  const address = await accessAddress(c)
  if (address !== null) {
    const operator = await findByName(ctx, address)
    if (operator) return { ...operator, by: 'access', session: null }
    if (!isTokenSignInAllowed(ctx.config)) {
      c.set('unknownAddress', address)
      logFailedSignIn(c, 'console', address)
      throw new AppError('not_an_operator')
    }
  }
  if (!isTokenSignInAllowed(ctx.config)) return null
  const session = await readSessionCookie(c)
  if (!session) {
    // The cookie of recent sites lasts until people sign out, so a session must have expired.
    if (recentSites(c).length > 0) c.set('sessionEnd', 'expired')
    return null
  }
  const { holder, id, end } = await findSession(ctx, session)
  if (end) c.set('sessionEnd', end)
  return holder ? { ...holder, by: 'token' as const, session: id! } : null
}

/** The id in the cookie, if we signed it. */
export async function readSessionCookie(c: Http): Promise<string | null> {
  return (await getSignedCookie(c, signingKey(c), COOKIE)) || null
}

/** True if this browser has a session cookie, or Access. Long forms of other browsers are not read. */
export async function isKnown(c: Http): Promise<boolean> {
  return (await readSessionCookie(c)) !== null || (await accessAddress(c)) !== null
}

export async function setSessionCookie(c: Http, session: string): Promise<void> {
  await setSignedCookie(c, COOKIE, session, signingKey(c), {
    path: PATH,
    httpOnly: true,
    secure: isSecure(c),
    sameSite: 'Lax',
    maxAge: SESSION_SECONDS + ENDED_SESSION_SECONDS,
  })
}

export function clearSessionCookie(c: Http): void {
  deleteCookie(c, COOKIE, { path: PATH, secure: isSecure(c) })
}

/** Prevents open redirects: anything but a console page leads to the home page. Drops notices, which the redirect would sign. */
export function safeNext(c: Http, next: string | undefined): string {
  const { origin } = new URL(c.req.url)
  const url = URL.canParse(next ?? '', origin) ? new URL(next!, origin) : null
  const ours = url?.origin === origin && /^\/console(\/|$)/.test(url.pathname)
  for (const name of [...CLAIMS, SIGNATURE]) if (url?.searchParams.has(name)) url.searchParams.delete(name)
  return ours && !/^\/console\/sign-/.test(url.pathname) ? url.pathname + url.search : HOME
}

/** The signature only keeps forged cookies from causing queries: the database stores a hash of each session id. */
const signingKey = (c: Http) => signingSecret(c.get('ctx').config, 'console-session')

function isSecure(c: Http): boolean {
  return new URL(c.req.url).protocol === 'https:'
}
