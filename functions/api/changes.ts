/** `GET /sites/{siteId}/changes`. */
import * as z from 'zod/mini'
import { includable } from '../../src/content/articles/field-table.ts'
import { ChangeList, listChanges, PartialChangeList } from '../../src/content/changes.ts'
import { POST_FIELDS } from '../../src/content/posts/fields.ts'
import { authenticate, requireKey } from '../http/api-key.ts'
import { changePage, changePageParams } from '../http/changes.ts'
import { createApp } from '../http/create-app.ts'
import type { Operation } from '../http/document.ts'
import { fieldsParam, includeParam } from '../http/query.ts'
import { type Resource, serveCredential } from '../http/read.ts'
import {
  errorResponse,
  ifNoneMatch,
  internalErrorResponse,
  invalidQueryResponse,
  jsonWithFields,
  keyRefusedResponse,
  notModifiedResponse,
  overQuotaResponse,
  rateHeaders,
  tagHeaders,
} from '../http/responses.ts'
import { validQuery } from '../http/validation.ts'

export const changes = createApp()

const CONTENT = 'content'
const OF_POSTS = includable(POST_FIELDS, { alone: false })

const ChangesQuery = z.object({
  ...changePageParams,
  include: includeParam([CONTENT, ...OF_POSTS], {
    description: `Comma-separated expansions: \`${CONTENT}\` attaches posts and guides, ${OF_POSTS.map((name) => `\`${name}\``).join(' and ')} add to these posts what they add to one`,
  }),
  fields: fieldsParam,
})

export const listChangesOperation = (): Operation => ({
  route: 'GET /sites/:siteId/changes',
  operationId: 'listChanges',
  summary: 'What has changed since a cursor, oldest first, deletions included',
  description:
    'Start without a cursor, then pass the `cursor` of each answer; while `hasMore` is true, ask again at once. A deleted post, an unpublished guide and an old slug are `delete`. A cursor that was not used for 90 days gives 410: start again without one. For a key with the access `published`, an unpublished post is `delete` too, and there are no drafts.',
  addition: true,
  headers: ifNoneMatch,
  query: ChangesQuery,
  responses: {
    200: jsonWithFields(
      ChangeList,
      PartialChangeList,
      'A page of changes; with `fields` a `PartialChangeList`',
      {
        ...tagHeaders,
        ...rateHeaders,
      },
    ),
    304: notModifiedResponse,
    ...invalidQueryResponse,
    ...keyRefusedResponse,
    410: errorResponse('The cursor is older than deletions are kept, 90 days', rateHeaders),
    ...overQuotaResponse,
    ...internalErrorResponse,
  },
})

type ChangesInput = Parameters<typeof listChanges>[3]

export const changeFeed: Resource<ChangesInput> = {
  name: 'changes',
  access: 'published',
  visibility: (opened) => opened,
  cacheControl: 'private, no-cache',
  contentType: 'application/json',
  // `*` asks if the cursor is still valid, and the version cannot tell.
  matchAny: () => false,
  counted: true,
  load: async (ctx, site, { visibility }, input) => ({
    body: await listChanges(ctx, site, visibility, input),
  }),
}

changes.get('/sites/:siteId/changes', validQuery(ChangesQuery, changeFeed), async (c) => {
  const query = c.req.valid('query')
  const { include = [], fields = null } = query
  const content = include.includes(CONTENT)
  const presented = await authenticate(c, changeFeed)
  return serveCredential(c, presented, changeFeed, {
    ...(await changePage({ id: presented.siteId }, query, () => requireKey(c, changeFeed))),
    content,
    fields: content ? fields : null,
    include: content ? include.filter((name) => name !== CONTENT) : [],
  })
})
