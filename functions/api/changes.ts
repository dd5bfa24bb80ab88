/** `GET /sites/{siteId}/changes`. */
import { zValidator } from '@hono/zod-validator'
import { Hono } from 'hono'
import * as z from 'zod'
import { ChangeList, listChanges, parseChangeCursor } from '../../src/changes.ts'
import { AppError } from '../../src/errors.ts'
import { requireKey } from '../http/api-key.ts'
import type { Operation } from '../http/document.ts'
import type { Env, Http } from '../http/env.ts'
import { include, integer, text } from '../http/query.ts'
import { read } from '../http/read.ts'
import {
  failure,
  ifNoneMatch,
  internal,
  invalidQuery,
  json,
  notModifiedAnswer,
  overQuota,
  rateHeaders,
  tagHeaders,
  unauthorized,
} from '../http/responses.ts'
import { requireKeyFirst } from '../http/validation.ts'

const DEFAULT_LIMIT = 100

export const changes = new Hono<Env>()

const ChangesQuery = z.object({
  cursor: text('`cursor` of the page before; without one the feed begins with all there is'),
  limit: integer({ minimum: 1, maximum: 500, fallback: DEFAULT_LIMIT, description: 'Changes a page' }),
  include: include('content', ' attaches the posts'),
})

export const listChangesOperation = (): Operation => ({
  route: 'GET /sites/:siteId/changes',
  operationId: 'listChanges',
  summary: 'What has changed since a cursor, oldest first, deletions included',
  headers: ifNoneMatch,
  query: ChangesQuery,
  responses: {
    200: json(ChangeList, 'A page of changes', { ...tagHeaders, ...rateHeaders }),
    304: notModifiedAnswer,
    ...invalidQuery,
    ...unauthorized,
    410: failure('The cursor is older than deletions are kept, 90 days', rateHeaders),
    ...overQuota,
    ...internal,
  },
})

changes.get('/sites/:siteId/changes', zValidator('query', ChangesQuery, requireKeyFirst()), async (c) => {
  const query = c.req.valid('query')
  const input = {
    cursor: query.cursor === undefined ? null : await cursorOf(c, query.cursor),
    limit: query.limit ?? DEFAULT_LIMIT,
    content: query.include ?? false,
  }
  // With the day, so that a follower of a quiet site is given a younger cursor before its own expires.
  const day = new Date().toISOString().slice(0, 10)
  return read(c, {
    cacheKey: ['changes', input, day],
    cacheControl: 'private, no-cache',
    contentType: 'application/json',
    // `*` asks whether the feed can be read at all, which only its cursor tells.
    matchAny: false,
    counted: true,
    load: async (ctx, site) => ({ body: JSON.stringify(await listChanges(ctx, site, input)) }),
  })
})

/** @throws AppError invalid_query for a cursor of another site, or of none */
async function cursorOf(c: Http, text: string) {
  const cursor = await parseChangeCursor({ id: c.req.param('siteId')!.toLowerCase() }, text)
  if (cursor) return cursor
  await requireKey(c)
  throw new AppError('invalid_query', { path: 'cursor', message: "must be one of this site's change feed" })
}
