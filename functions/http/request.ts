import { bodyLimit } from 'hono/body-limit'
import { createMiddleware } from 'hono/factory'
import { routePath } from 'hono/route'
import { countError } from '../../src/alerts/service.ts'
import { isUnderMaintenance } from '../../src/core/config.ts'
import { AppError, type ErrorCode } from '../../src/core/errors.ts'
import { UUID } from '../../src/core/ids.ts'
import { createLog } from '../../src/core/log.ts'
import { findUnstorable } from '../../src/db/json-value.ts'
import type { Env, Http } from './env.ts'

const MAINTENANCE_RETRY_SECONDS = 60
const MAINTENANCE_TEXT = 'The service is under maintenance. Try again in a few minutes.'

/** Paths that people open in a browser. */
const PAGES = /^\/($|(console|docs|drafts)\b)/

/** The validator parses these as JSON. */
const JSON_TYPE = /^application\/json(;\s*[a-zA-Z0-9-]+=[^;]+)*$/i

/** Query, body and headers may hold secrets. So may a path: a pasted token, a sitemap id or a link's token. */
export const requestLog = createMiddleware<Env>(async function requestLog(c, next) {
  const started = Date.now()
  await next()
  const { status } = c.res
  const route = routePath(c, -1)
  const matched = !route.endsWith('*') && status !== 401 && status !== 404 && status !== 405
  const isNamed = matched && !/^\/(sitemaps|drafts|console\/sign-in\/links)\//.test(route)
  const ctx = c.get('ctx')
  if (status === 500 && ctx) ctx.defer(countError(ctx))
  const log = ctx?.log ?? createLog({ requestId: c.get('requestId') })
  log('request', {
    method: c.req.method,
    ...(isNamed && { path: c.req.path.slice(0, 300) }),
    route,
    status,
    durationMs: Date.now() - started,
  })
})

/** Workers Cache stores responses that have no Cache-Control. */
export const notCachedByDefault = createMiddleware<Env>(function notCachedByDefault(c, next) {
  c.header('Cache-Control', 'no-store')
  return next()
})

export const notSniffed = createMiddleware<Env>(async function notSniffed(c, next) {
  await next()
  c.header('X-Content-Type-Options', 'nosniff')
})

/** Runs before anything reaches Postgres or Redis. */
export const maintenance = createMiddleware<Env>(async function maintenance(c, next) {
  if (!isUnderMaintenance(c.env)) return next()
  c.header('Retry-After', String(MAINTENANCE_RETRY_SECONDS))
  if (PAGES.test(c.req.path)) return c.text(MAINTENANCE_TEXT, 503)
  throw new AppError('under_maintenance')
})

/** Works without a Content-Length. */
export function limitBody(maxBytes: number) {
  const limit = bodyLimit({
    maxSize: maxBytes,
    onError: () => {
      throw new AppError('body_too_large')
    },
  })
  return createMiddleware<Env>(async function limitBody(c, next) {
    return takesBody(c) ? limit(c, next) : next()
  })
}

/** Refuses what Postgres cannot store, before a schema validates it. */
export const requireJson = createMiddleware<Env>(async function requireJson(c, next) {
  if (!takesBody(c)) return next()
  // Text decoders replace invalid UTF-8 silently, so read bytes. The validator parses the body again.
  const bytes = await c.req.arrayBuffer()
  if (bytes.byteLength === 0) return next()
  if (!JSON_TYPE.test(c.req.header('Content-Type') ?? '')) {
    throw new AppError('invalid_body', { path: 'Content-Type', message: 'must be application/json' })
  }
  const found = findUnstorable(parseJson(bytes))
  if (found) throw new AppError('invalid_body', found)
  return next()
})

/** A body on any other method is ignored. */
export function takesBody(c: Http): boolean {
  return ['POST', 'PUT', 'PATCH'].includes(c.req.method)
}

function parseJson(bytes: ArrayBuffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes))
  } catch (error) {
    const message = `must be JSON in UTF-8: ${(error as Error).message}`
    throw new AppError('invalid_body', { path: '', message })
  }
}

/** A malformed id gets the same refusal as an unknown one. */
export function idOf(c: Http, name: string, missing: ErrorCode): string {
  const id = (c.req.param(name) ?? '').toLowerCase()
  if (!UUID.test(id)) throw new AppError(missing)
  return id
}

/** Read it only through this function, so that it is always validated. */
export const siteIdOf = (c: Http, missing: ErrorCode = 'site_not_found') => idOf(c, 'siteId', missing)

/** Cloudflare sets the header and clients cannot spoof it. */
export function addressOf(c: Http): string {
  return c.req.header('CF-Connecting-IP') ?? 'unknown'
}

/** By encoding, because Cloudflare compresses responses. */
export const VARY = 'Authorization, Accept-Encoding'

/** https://www.rfc-editor.org/rfc/rfc6750#section-2.1 */
export function bearerToken(c: Http): string | null {
  return /^Bearer +(\S+) *$/i.exec(c.req.header('Authorization') ?? '')?.[1] ?? null
}
