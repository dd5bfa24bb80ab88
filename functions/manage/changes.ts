/** `/sites/{siteId}/changes`. */
import { zValidator } from '@hono/zod-validator'
import * as z from 'zod/mini'
import { listStoredChanges, StoredChangeList } from '../../src/content/stored-changes.ts'
import { changePage, changePageParams } from '../http/changes.ts'
import { createApp } from '../http/create-app.ts'
import type { Operation } from '../http/document.ts'
import { errorResponse, jsonResponse } from '../http/responses.ts'
import { refuseInvalid } from '../http/validation.ts'
import { JSON_HEADERS, siteErrors } from './responses.ts'
import { siteOf } from './route.ts'

export const changes = createApp()

const ChangesQuery = z.object(changePageParams)

export const listChangesOperation = (): Operation => ({
  route: 'GET /sites/:siteId/changes',
  operationId: 'listChanges',
  summary: 'What has changed since a cursor, with posts and guides as they were put',
  description:
    'For a complete copy: start without a cursor, then pass the `cursor` of each answer until `hasMore` is false, and you have the site as of that moment, however much is written meanwhile. As the feed of `/api/v1`, whose cursors are the same, but with guides that are drafts too: so do not go on here from a cursor of there.',
  query: ChangesQuery,
  responses: {
    200: jsonResponse(StoredChangeList, 'A page of changes'),
    ...siteErrors,
    410: errorResponse('The cursor is older than deletions are kept, 90 days'),
  },
})

changes.get('/sites/:siteId/changes', zValidator('query', ChangesQuery, refuseInvalid), async (c) => {
  const site = await siteOf(c)
  const page = await changePage(site, c.req.valid('query'))
  return c.body(await listStoredChanges(c.get('ctx'), site, page), 200, JSON_HEADERS)
})
