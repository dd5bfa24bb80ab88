/** How a management route is described, and what its requests share. */
import { AppError, type ErrorCode } from '../../src/errors.ts'
import { type Paging, parseCursor } from '../../src/paging.ts'
import { getSiteScope, type SiteScope } from '../../src/sites.ts'
import { slugProblem } from '../../src/slug.ts'
import { EFFECTIVE_WITHIN } from '../http/context.ts'
import type { Http } from '../http/env.ts'
import { createRoute, pathParameter, z } from '../http/openapi.ts'
import { integer, text } from '../http/query.ts'
import {
  always,
  failure,
  integer as header,
  internal,
  invalidInput,
  json,
  tooManyAttempts,
} from '../http/responses.ts'
import { UUID } from '../http/uuid.ts'

/** Rows in one bulk put. */
export const MAX_BULK = 100
const MAX_PAGE_ROWS = 500
const DEFAULT_PAGE_ROWS = 100

export const refusals = {
  400: invalidInput,
  401: failure('Missing or invalid operator token'),
  404: failure('The site, or what the path names in it, does not exist'),
  ...tooManyAttempts,
  ...internal,
}

export const tooLarge = { 413: failure('The body is larger than 8 MiB') }

/** A JSON body of the route; `application/json` is required. */
export const body = <Schema extends z.ZodType>(schema: Schema) => ({
  required: true,
  content: { 'application/json': { schema } },
})

export const sitePath = z.object({ siteId: pathParameter('The site', 'uuid') })
export const slugPath = sitePath.extend({ slug: pathParameter('The slug') })

export const pageQuery = z.object({
  limit: integer({
    minimum: 1,
    maximum: MAX_PAGE_ROWS,
    fallback: DEFAULT_PAGE_ROWS,
    description: 'Rows a page',
  }),
  cursor: text('`next` of the page before').refine(
    (cursor) => cursor === undefined || parseCursor(cursor) !== null,
    'must be the `next` of a page',
  ),
})

export const page = <Schema extends z.ZodType>(item: Schema, description: string) =>
  json(z.object({ items: z.array(item), next: z.string().nullable() }), description)

export const noContent = { description: 'Done', headers: always }

const effect = {
  [EFFECTIVE_WITHIN]: header(
    'Only where Redis could not be told of the write: seconds until all reads see it, and a revoked key opens nothing',
    60,
  ),
}

/** The answer to a write of what the API shows, or of who may read it. */
export const written = <Schema extends z.ZodType>(schema: Schema, description: string) =>
  json(schema, description, effect)
export const deleted = { description: 'Done', headers: { ...always, ...effect } }

export { createRoute, z }

/** The path's site. @throws AppError site_missing, for a malformed id as well */
export async function siteOf(c: Http): Promise<SiteScope> {
  return getSiteScope(c.get('ctx'), siteIdOf(c))
}

export const siteIdOf = (c: Http) => idOf(c, 'siteId', 'site_missing')

/** An id of the path, refused as one that does not exist when it is malformed. */
export function idOf(c: Http, name: string, missing: ErrorCode): string {
  const id = (c.req.param(name) ?? '').toLowerCase()
  if (!UUID.test(id)) throw new AppError(missing)
  return id
}

/** The slug in the path, which a body may repeat but not contradict. */
export function slugOf(c: Http, repeated?: string): string {
  const slug = c.req.param('slug') ?? ''
  const problem = slugProblem(slug)
  if (problem) throw new AppError('invalid_body', { path: 'slug', message: problem })
  if (repeated !== undefined && repeated !== slug) {
    throw new AppError('invalid_body', { path: 'slug', message: 'must be the one in the path' })
  }
  return slug
}

export function paging(query: { limit?: number | undefined; cursor?: string | undefined }): Paging {
  return { limit: query.limit ?? DEFAULT_PAGE_ROWS, cursor: query.cursor ? parseCursor(query.cursor) : null }
}
