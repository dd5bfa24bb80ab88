/** Who may ask: Bearer keys, scoped to the site in the path. */
import { createMiddleware } from 'hono/factory'
import { AppError } from '../../src/errors.ts'
import { authorize } from '../../src/keys.ts'
import type { Env, Http } from './env.ts'

/**
 * Lets a live key of the path's site through and sets `grant`. Whatever is wrong (no key, another site's, a
 * sitemap key elsewhere, a malformed `siteId`), the answer is the same 401.
 */
export function apiKey(options: { sitemap?: boolean } = {}) {
  return createMiddleware<Env>(async function apiKey(c, next) {
    c.header('Vary', 'Authorization')
    const key = bearer(c) ?? (options.sitemap ? queryToken(c) : null)
    const grant = key ? await authorize(c.get('ctx'), key) : null
    if (!grant || (grant.access === 'sitemap' && !options.sitemap)) throw new AppError('api_key_refused')
    const siteId = c.req.param('siteId')
    if (siteId !== undefined && siteId.toLowerCase() !== grant.site.id) throw new AppError('api_key_refused')
    c.set('grant', grant)
    await next()
  })
}

/** The token of an `Authorization: Bearer` header (https://www.rfc-editor.org/rfc/rfc6750#section-2.1). */
export function bearer(c: Http): string | null {
  return /^Bearer +(\S+) *$/i.exec(c.req.header('Authorization') ?? '')?.[1] ?? null
}

/** `?token=`, for clients that cannot send headers; given twice it counts as none. */
function queryToken(c: Http): string | null {
  const tokens = c.req.queries('token') ?? []
  return tokens.length === 1 ? tokens[0]! : null
}
