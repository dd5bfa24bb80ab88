/** What every request gets: an id, a log line, and for bodies a limit and a check of what can be stored. */
import { bodyLimit } from 'hono/body-limit'
import { createMiddleware } from 'hono/factory'
import { routePath } from 'hono/route'
import { AppError } from '../../src/errors.ts'
import { findUnstorable } from '../../src/json-value.ts'
import { createLog } from '../../src/log.ts'
import type { Env, Http } from './env.ts'

/** What the validator takes for JSON as well. */
const JSON_TYPE = /^application\/json(;\s*[a-zA-Z0-9-]+=[^;]+)*$/i

/**
 * One line a request, without query, body or headers: none of them is needed, and secrets travel in all three. The
 * path is left out where it led nowhere, since what was pasted there may be a token.
 */
export const requestLog = createMiddleware<Env>(async function requestLog(c, next) {
  const started = Date.now()
  await next()
  const { status } = c.res
  const route = routePath(c, -1)
  const ledSomewhere = !route.endsWith('*') && status !== 401 && status !== 404 && status !== 405
  const log = c.get('ctx')?.log ?? createLog({ requestId: c.get('requestId') })
  log('request', {
    method: c.req.method,
    ...(ledSomewhere && { path: c.req.path.slice(0, 300) }),
    route,
    status,
    durationMs: Date.now() - started,
  })
})

/** 413 above so many bytes, also when the length is not announced. */
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

/** Refuses, before any schema looks at it, a body that is no JSON or that Postgres could not keep. */
export const requireJson = createMiddleware<Env>(async function requireJson(c, next) {
  if (!takesBody(c)) return next()
  // As bytes, which the validator turns into JSON again: as text, what is no UTF-8 would be replaced unseen.
  const bytes = await c.req.arrayBuffer()
  if (bytes.byteLength === 0) return next()
  if (!JSON_TYPE.test(c.req.header('Content-Type') ?? '')) {
    throw new AppError('invalid_body', { path: 'Content-Type', message: 'must be application/json' })
  }
  const found = findUnstorable(parseJson(bytes))
  if (found) throw new AppError('invalid_body', found)
  return next()
})

/** What comes with another method is not read. */
function takesBody(c: Http): boolean {
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
