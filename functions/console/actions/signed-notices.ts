/**
 * Signs the notices that redirects carry in their URL. Without a signature anyone could make a link that claims something happened.
 */
import { createMiddleware } from 'hono/factory'
import { equalSecrets, hex } from '../../../src/core/ids.ts'
import { hmacSha256 } from '../../../src/crypto/hmac.ts'
import { signingSecret } from '../../../src/crypto/signing-secret.ts'
import type { Env, Http } from '../../http/env.ts'

/** In URLs with notices only. The script removes them, so that a reload shows no notice again. */
export const SIGNATURE = 'sig'
/** The query parameters of notices. */
export const CLAIMS = [
  'done',
  'changed',
  'already',
  'stayed',
  'of',
  'gone',
  'rows',
  'unsent',
  'unscheduled',
  'rebuilt',
  'more',
  'refused',
  'ended',
  'out',
  'delayed',
  'savedBy',
  'to',
]

/** Signs the claims of each redirect, and drops unsigned ones from a request. */
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

export async function signatureOf(c: Http, text: string): Promise<string> {
  const key = encoder.encode(signingSecret(c.get('ctx').config, 'console-notice'))
  return hex(await hmacSha256(key, '', encoder.encode(text))).slice(0, 32)
}
