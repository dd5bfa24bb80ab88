/** The site whose pages are asked for. */
import { createMiddleware } from 'hono/factory'
import { AppError } from '../../src/errors.ts'
import { getSiteRow } from '../../src/sites.ts'
import type { Env, Http } from '../http/env.ts'
import { UUID } from '../http/uuid.ts'

/** Sets `site`, with one query. @throws AppError site_missing, for a malformed id as well */
export const siteOf = createMiddleware<Env>(async function siteOf(c, next) {
  const id = (c.req.param('siteId') ?? '').toLowerCase()
  if (!UUID.test(id)) throw new AppError('site_missing')
  c.set('site', await getSiteRow(c.get('ctx'), id))
  await next()
})

/** The path of a site's page, `/api` or the like. */
export function pathIn(c: Http, below: string): string {
  return `/console/sites/${c.get('site').id}${below}`
}
