/** `GET /sites/{siteId}/changes`. */
import * as z from 'zod/mini'
import { includable } from '../../src/content/articles/field-table.ts'
import { ChangeList, listChanges, PartialChangeList } from '../../src/content/changes.ts'
import { POST_FIELDS } from '../../src/content/posts/fields.ts'
import { authenticate, requireKey } from '../http/api-key.ts'
import { changePage, changePageParams } from '../http/changes.ts'
import type { Operation } from '../http/document.ts'
import { createApp } from '../http/env.ts'
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
    description: `Comma-separated expansions: \`${CONTENT}\` attaches posts and guides, ${OF_POSTS.map((name) => `\`${name}\``).join(' and ')} add to these posts what they add to a single post`,
  }),
  fields: fieldsParam,
})

export const listChangesOperation = (): Operation => ({
  route: 'GET /sites/:siteId/changes',
  operationId: 'listChanges',
  summary: 'List changes since a cursor, oldest first',
  description:
    'Start without a cursor, then pass the `cursor` of each response. While `hasMore` is true, request the next page at once. Deleted posts, unpublished guides and old slugs have the type `delete`. A cursor that is older than 90 days gets 410: start again without one. Keys with the access `published` see no drafts, and an unpublished post is a `delete`.',
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
    410: errorResponse('The cursor is older than 90 days, the time that deletions are kept', rateHeaders),
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
  // `*` asks if the cursor is still valid, which the version does not show.
  alwaysExists: () => false,
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
