/** A request as a fuzz makes it, printable as it stands, and its sending. */
import { exports } from 'cloudflare:workers'
import { ORIGIN } from '../../support/site.ts'
import type { Body } from './body.ts'

/** Headers may repeat. `path` has the query, as it is written. */
export type FuzzRequest = {
  method: string
  path: string
  headers: [string, string][]
  body?: Body | undefined
}

/** Without the fragment, which no client sends. */
export function urlOf({ path }: FuzzRequest): URL {
  const url = new URL(ORIGIN + path)
  url.hash = ''
  return url
}

export function send(request: FuzzRequest): Promise<Response> {
  const { method, body = null } = request
  // Of nobody else, so that most refusals are those of a first attempt.
  const headers = new Headers(
    /cf-connecting-ip/i.test(String(request.headers)) ? {} : { 'CF-Connecting-IP': crypto.randomUUID() },
  )
  for (const [name, value] of request.headers) headers.append(name, value)
  const init = {
    method,
    headers,
    redirect: 'manual' as const,
    body: /^(get|head)$/i.test(method) ? null : body,
  }
  return exports.default.fetch(new Request(urlOf(request), init))
}
