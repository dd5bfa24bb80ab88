/** The sites visited last, in a cookie, so that the header links to them without a query. */
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import * as z from 'zod/mini'
import { isReachable } from '../../src/core/actor.ts'
import type { Http } from '../http/env.ts'

const COOKIE = 'console_sites'
const PATH = '/console'
const KEPT = 6
/** Keeps the cookie below 4 KiB: a character may take nine bytes. */
const CUT = /^(.{40}).+/su

export type RecentSite = { id: string; name: string }

const Recent = z.array(z.tuple([z.uuid(), z.string()]))

/** Newest first. Empty for a malformed cookie. */
export function recentSites(c: Http): RecentSite[] {
  let value: unknown
  try {
    value = JSON.parse(getCookie(c, COOKIE) ?? '')
  } catch {
    return []
  }
  const recent = Recent.safeParse(value).data ?? []
  const { person } = c.var as Partial<typeof c.var>
  return recent
    .slice(0, KEPT)
    .flatMap(([id, name]) => (person && !isReachable(person, id) ? [] : { id, name }))
}

export function noteRecentSite(c: Http, { id, name }: RecentSite): void {
  const [first] = recentSites(c)
  const shown = name.replace(CUT, '$1…')
  if (first?.id === id && first.name === shown) return
  write(c, [{ id, name: shown }, ...recentSites(c).filter((site) => site.id !== id)].slice(0, KEPT))
}

export function forgetRecentSite(c: Http, id: string): void {
  write(
    c,
    recentSites(c).filter((site) => site.id !== id),
  )
}

export function forgetRecentSites(c: Http): void {
  deleteCookie(c, COOKIE, { path: PATH })
}

function write(c: Http, recent: RecentSite[]): void {
  setCookie(c, COOKIE, JSON.stringify(recent.map(({ id, name }) => [id, name])), {
    path: PATH,
    httpOnly: true,
    secure: new URL(c.req.url).protocol === 'https:',
    sameSite: 'Lax',
  })
}
