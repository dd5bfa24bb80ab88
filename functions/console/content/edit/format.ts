/** The format that this browser chose last, in a cookie. */
import { getCookie, setCookie } from 'hono/cookie'
import type { Http } from '../../../http/env.ts'

export const FORMATS = { html: 'HTML', markdown: 'Markdown' }
export type Format = keyof typeof FORMATS

const COOKIE = 'console_format'
const KEPT_S = 365 * 86_400

export function lastFormat(c: Http): Format | undefined {
  const last = getCookie(c, COOKIE)
  return last === 'html' || last === 'markdown' ? last : undefined
}

export function noteFormat(c: Http, format: Format): void {
  setCookie(c, COOKIE, format, {
    path: '/console',
    maxAge: KEPT_S,
    httpOnly: true,
    secure: new URL(c.req.url).protocol === 'https:',
    sameSite: 'Lax',
  })
}
