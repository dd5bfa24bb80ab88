/** CSRF protection: refuses forms of other sites, with any content type. */
import { createMiddleware } from 'hono/factory'
import { AppError } from '../../../src/core/errors.ts'
import type { Env, Http } from '../../http/env.ts'

const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS']
/** `none` is an action of the user, such as a reload. */
const OUR_SITES = ['same-origin', 'none']

/** @throws AppError cross_site */
export const sameOrigin = createMiddleware<Env>(async function sameOrigin(c, next) {
  if (!SAFE_METHODS.includes(c.req.method) && !isSameOrigin(c)) throw new AppError('cross_site')
  await next()
})

/** Every browser sends one of the two headers, so a request with neither is refused. */
function isSameOrigin(c: Http): boolean {
  const origin = c.req.header('Origin')
  const site = c.req.header('Sec-Fetch-Site')
  if (origin === undefined && site === undefined) return false
  const { origin: ours } = new URL(c.req.url)
  return (origin === undefined || origin === ours) && (site === undefined || OUR_SITES.includes(site))
}
