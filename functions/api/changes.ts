/** `GET /sites/{siteId}/changes`. */
import { Change, ChangeList, listChanges, parseChangeCursor } from '../../src/changes.ts'
import { apiKey } from '../http/api-key.ts'
import { createApp, createRoute, named, pathParameter, z } from '../http/openapi.ts'
import { integer, text } from '../http/query.ts'
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
import { serve } from '../http/serve.ts'
import { PostAnswer } from './posts.ts'

const DEFAULT_LIMIT = 100

export const changes = createApp()

const ChangeAnswer = named('Change', Change.extend({ post: PostAnswer.optional() }))
const ChangeListAnswer = named('ChangeList', ChangeList.extend({ items: z.array(ChangeAnswer) }))

const listChangesRoute = createRoute({
  method: 'get',
  path: '/sites/{siteId}/changes',
  operationId: 'listChanges',
  summary: 'What has changed since a cursor, oldest first, deletions included',
  security: [{ apiKey: [] }],
  middleware: apiKey({ recalls: true }),
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
    cursor: query.cursor === undefined ? null : await parseChangeCursor(c.get('grant').site, query.cursor),
    limit: query.limit ?? DEFAULT_LIMIT,
    content: include.includes('content'),
  }
  // With the day, so that a follower of a quiet site is given a younger cursor before its own expires.
  const day = new Date().toISOString().slice(0, 10)
  return serve(c, {
    question: ['changes', input, day],
    cacheControl: 'private, no-cache',
    type: 'application/json',
    // `*` asks whether the feed can be read at all, which only its cursor tells.
    star: false,
    counted: true,
    write: async (site) => ({ body: JSON.stringify(await listChanges(c.get('ctx'), site, input)) }),
  }) as never
})
