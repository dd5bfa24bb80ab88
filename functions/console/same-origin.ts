/** Forms of other sites are refused, whatever the type of their body. */
import { createMiddleware } from 'hono/factory'
import { AppError } from '../../src/errors.ts'
import type { Env, Http } from '../http/env.ts'

const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS']
/** `none` is what the person did by hand, such as loading a page anew. */
const OUR_SITES = ['same-origin', 'none']

/** @throws AppError cross_site */
export const sameOrigin = createMiddleware<Env>(async function sameOrigin(c, next) {
  if (!SAFE_METHODS.includes(c.req.method) && !isOurs(c)) throw new AppError('cross_site')
  await next()
})

/** Neither header may say otherwise; every browser sends one of them, so who sends none is not believed. */
function isOurs(c: Http): boolean {
  const origin = c.req.header('Origin')
  const site = c.req.header('Sec-Fetch-Site')
  if (origin === undefined && site === undefined) return false
  const { origin: ours } = new URL(c.req.url)
  return (origin === undefined || origin === ours) && (site === undefined || OUR_SITES.includes(site))
}
