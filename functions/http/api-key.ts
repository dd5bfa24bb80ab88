/** Who may ask: Bearer keys, scoped to the site in the path. */
import { createMiddleware } from 'hono/factory'
import { AppError } from '../../src/errors.ts'
import { type ApiKeyAuth, authenticateKey, cachedKeyAuth } from '../../src/keys.ts'
import { passGate } from './admission.ts'
import type { Env, Http } from './env.ts'
import { VARY } from './responses.ts'

type Options = {
  /** Also for keys that open the sitemap alone, and for a key in `?token=`. */
  sitemap?: boolean
  /** The route lets its requests in by itself (serve.ts), so that a remembered grant will do until then. */
  recalls?: boolean
}

/**
 * Lets a live key of the path's site through and sets `grant`. Whatever is wrong (no key, another site's, a
 * sitemap key elsewhere, a malformed `siteId`), the answer is the same 401.
 */
export function apiKey(options: Options = {}) {
  return createMiddleware<Env>(async function apiKey(c, next) {
    c.header('Vary', VARY)
    const key = bearer(c) ?? (options.sitemap ? queryToken(c) : null)
    if (!key) throw new AppError('api_key_refused')
    const memory = options.recalls ? await cachedKeyAuth(c.get('ctx'), key) : null
    const allowed = (grant: ApiKeyAuth | null): grant is ApiKeyAuth =>
      grant !== null && (grant.access === 'full' || options.sitemap === true) && isOfPath(c, grant)
    // What a key is for never changes, so that a remembered one that is for something else need not be asked about.
    const grant = memory ? memory.grant : await authenticateKey(c.get('ctx'), key)
    if (!allowed(grant)) throw new AppError('api_key_refused')
    c.set('grant', grant)
    c.set('recalled', memory && { key, memory })
    await next()
    // Whatever the answer became, a 400 too: it is for a key that holds.
    if (c.get('recalled')) await passGate(c, 'nothing')
  })
}

function isOfPath(c: Http, grant: ApiKeyAuth): boolean {
  const siteId = c.req.param('siteId')
  return siteId === undefined || siteId.toLowerCase() === grant.site.id
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
