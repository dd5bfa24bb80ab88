/** `GET /sites/{siteId}/changes`. */
import { Change, ChangeList, listChanges, parseChangeCursor } from '../../src/changes.ts'
import { AppError } from '../../src/errors.ts'
import { requireKey } from '../http/api-key.ts'
import type { Http } from '../http/env.ts'
import { createApp, createRoute, named, pathParameter, z } from '../http/openapi.ts'
import { integer, text } from '../http/query.ts'
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
import { PostAnswer } from './posts.ts'

const DEFAULT_LIMIT = 100

export const changes = createApp(requireKey)

const ChangeAnswer = named('Change', Change.extend({ post: PostAnswer.optional() }))
const ChangeListAnswer = named('ChangeList', ChangeList.extend({ items: z.array(ChangeAnswer) }))

const listChangesRoute = createRoute({
  method: 'get',
  path: '/sites/{siteId}/changes',
  operationId: 'listChanges',
  summary: 'What has changed since a cursor, oldest first, deletions included',
  security: [{ apiKey: [] }],
  parameters: [ifNoneMatch],
  request: {
    params: z.object({ siteId: pathParameter('The site', 'uuid') }),
    query: z.object({
      cursor: text('`cursor` of the page before; without one the feed begins with all there is'),
      limit: integer({ minimum: 1, maximum: 500, fallback: DEFAULT_LIMIT, description: 'Changes a page' }),
      include: text('Comma-separated expansions: `content` attaches the posts'),
    }),
  },
  responses: {
    200: json(ChangeListAnswer, 'A page of changes', { ...tagHeaders, ...rateHeaders }),
    304: notModifiedAnswer,
    ...invalidQuery,
    ...unauthorized,
    410: failure('The cursor is older than deletions are kept, 90 days', rateHeaders),
    ...overQuota,
    ...internal,
  },
})

changes.openapi(listChangesRoute, async (c) => {
  const query = c.req.valid('query')
  const include = (query.include ?? '').split(',').map((name) => name.trim())
  const input = {
    cursor: query.cursor === undefined ? null : await cursorOf(c, query.cursor),
    limit: query.limit ?? DEFAULT_LIMIT,
    content: include.includes('content'),
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
  }) as never
})

/** @throws AppError invalid_query for a cursor of another site, or of none */
async function cursorOf(c: Http, text: string) {
  const cursor = await parseChangeCursor({ id: c.req.param('siteId')!.toLowerCase() }, text)
  if (cursor) return cursor
  await requireKey(c)
  throw new AppError('invalid_query', { path: 'cursor', message: "must be one of this site's change feed" })
}
