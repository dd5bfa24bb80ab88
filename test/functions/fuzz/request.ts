/** A fuzzed request, in a printable form and as it is sent. */
import { exports } from 'cloudflare:workers'
import { ORIGIN } from '../../support/site.ts'
import type { Body } from './body.ts'

/** Headers may repeat. `path` includes the query, encoded. */
export type FuzzRequest = {
  method: string
  path: string
  headers: [string, string][]
  body?: Body | undefined
}

/** Without the fragment, which clients do not send. */
export function urlOf({ path }: Pick<FuzzRequest, 'path'>): URL {
  const url = new URL(ORIGIN + path)
  url.hash = ''
  return url
}

export function send(request: FuzzRequest): Promise<Response> {
  const { method, body = null } = request
  // A different address each time, so that attempts are rarely throttled.
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
