/** Parameters that management routes share. */
import * as z from 'zod/mini'
import { slugProblem } from '../../src/content/model/slug.ts'
import { AppError } from '../../src/core/errors.ts'
import { type Paging, parseCursor } from '../../src/db/paging.ts'
import type { SiteScope } from '../../src/db/site-scope.ts'
import { getSiteScope } from '../../src/sites/sites.ts'
import type { Http } from '../http/env.ts'
import { integerParam, textParam } from '../http/query.ts'
import { siteIdOf } from '../http/request.ts'

const MAX_PAGE_ROWS = 500
export const DEFAULT_PAGE_ROWS = 100

/** Refuses `events=none` on writes that always send their events. */
export const NoQuery = z.strictObject({})

export const NEXT_OF_A_PAGE = 'must be the `next` of a page'

export const PageQuery = z.object({
  limit: integerParam({
    minimum: 1,
    maximum: MAX_PAGE_ROWS,
    fallback: DEFAULT_PAGE_ROWS,
    description: 'Rows per page',
  }),
  cursor: textParam(
    '`next` of the previous page',
    z.refine((cursor) => parseCursor(cursor) !== null, NEXT_OF_A_PAGE),
  ),
})

/** Query of a list with sealed cursors, which the handler opens. */
export const SealedPageQuery = z.object({
  limit: PageQuery.shape.limit,
  cursor: textParam('`next` of the previous page'),
})

/** @throws AppError site_not_found, also for a malformed id */
export async function siteOf(c: Http): Promise<SiteScope> {
  return getSiteScope(c.get('ctx'), siteIdOf(c))
}

/** A body may repeat the slug of the path but not contradict it. */
export function slugParam(c: Http, repeated?: string): string {
  const slug = (c.req.param('slug') ?? '').normalize('NFC')
  const problem = slugProblem(slug)
  if (problem) throw new AppError('invalid_body', { path: 'slug', message: problem })
  if (repeated !== undefined && repeated !== slug) {
    throw new AppError('invalid_body', { path: 'slug', message: 'must match the slug in the path' })
  }
  return slug
}

type Query = { limit?: number | undefined; cursor?: string | undefined }

export function paging({ limit = DEFAULT_PAGE_ROWS, cursor = '' }: Query): Paging {
  return { limit, cursor: parseCursor(cursor) }
}

/** @throws AppError invalid_query for a cursor of another list */
export async function sealedPaging<Cursor>(
  { limit = DEFAULT_PAGE_ROWS, cursor }: Query,
  open: (cursor: string) => Promise<Cursor | null>,
) {
  const opened = cursor === undefined ? null : await open(cursor)
  if (cursor !== undefined && opened === null)
    throw new AppError('invalid_query', { path: 'cursor', message: NEXT_OF_A_PAGE })
  return { limit, cursor: opened }
}
