/**
 * A page says what a form has done because the redirect to it names that in the URL. The redirect signs it: a link that somebody
 * else made shows nothing that did not happen.
 */
import { createMiddleware } from 'hono/factory'
import { equalSecrets, hex } from '../../../src/core/ids.ts'
import { hmacSha256 } from '../../../src/crypto/hmac.ts'
import { signingSecret } from '../../../src/crypto/signing-secret.ts'
import type { Env, Http } from '../../http/env.ts'

const SIGNATURE = 'sig'
/** The parameters that say that something was done, or was refused. */
export const CLAIMS = [
  'done',
  'changed',
  'already',
  'stayed',
  'of',
  'gone',
  'unsent',
  'unscheduled',
  'rebuilt',
  'more',
  'refused',
  'ended',
  'out',
  'delayed',
]

/** Signs the claims of each redirect, and takes unsigned ones out of the URL of a request. */
export const signedNotices = createMiddleware<Env>(async function signedNotices(c, next) {
  const url = new URL(c.req.url)
  if (c.req.method !== 'POST' && claimsOf(url)) {
    const isSigned = await equalSecrets(
      url.searchParams.get(SIGNATURE) ?? '',
      await signatureOf(c, claimsOf(url)!),
    )
    for (const name of isSigned ? [] : CLAIMS) url.searchParams.delete(name)
    if (!isSigned) c.req.raw = new Request(url, c.req.raw)
  }
  await next()
  const location = c.res.headers.get('Location')
  if (!location) return
  const [page = '', ...fragment] = location.replace(/([?&])sig=[^&#]*&?/, '$1').split('#')
  const to = new URL(page, c.req.url)
  const claims = to.origin === url.origin ? claimsOf(to) : null
  if (!claims) return
  const signed = `${page.replace(/[?&]$/, '')}&${SIGNATURE}=${await signatureOf(c, claims)}`
  c.res.headers.set('Location', [signed, ...fragment].join('#'))
})

function claimsOf({ pathname, searchParams }: URL): string | null {
  const claims = CLAIMS.flatMap((name) => searchParams.getAll(name).map((value) => [name, value]))
  return claims.length > 0 ? `${pathname}?${new URLSearchParams(claims)}` : null
}

const encoder = new TextEncoder()

/** Signs what the console says in a URL. */
export async function signatureOf(c: Http, text: string): Promise<string> {
  const key = encoder.encode(signingSecret(c.get('ctx').config, 'console-notice'))
  return hex(await hmacSha256(key, '', encoder.encode(text))).slice(0, 32)
}
