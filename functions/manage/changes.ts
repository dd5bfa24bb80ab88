/** `/sites/{siteId}/changes`. */
import { zValidator } from '@hono/zod-validator'
import * as z from 'zod/mini'
import { listStoredChanges, StoredChangeList } from '../../src/content/stored-changes.ts'
import { changePage, changePageParams } from '../http/changes.ts'
import type { Operation } from '../http/document.ts'
import { createApp } from '../http/env.ts'
import { errorResponse, jsonResponse } from '../http/responses.ts'
import { refuseInvalid } from '../http/validation.ts'
import { JSON_HEADERS, siteErrors } from './responses.ts'
import { siteOf } from './route.ts'

export const changes = createApp()

const ChangesQuery = z.object(changePageParams)

export const listChangesOperation = (): Operation => ({
  route: 'GET /sites/:siteId/changes',
  operationId: 'listChanges',
  summary: 'List changes since a cursor, with posts and guides in full',
  description:
    'Use it to keep a complete copy. Start without a cursor, then pass the `cursor` of each response until `hasMore` is false. You then have the site as of that moment, even if it was edited meanwhile. Unlike the feed of `/api/v1`, this one includes draft guides. Cursors have the same format, but do not continue here from a cursor of that feed.',
  query: ChangesQuery,
  responses: {
    200: jsonResponse(StoredChangeList, 'A page of changes'),
    ...siteErrors,
    410: errorResponse('The cursor is older than 90 days, the time that deletions are kept'),
  },
})

changes.get('/sites/:siteId/changes', zValidator('query', ChangesQuery, refuseInvalid), async (c) => {
  const site = await siteOf(c)
  const page = await changePage(site, c.req.valid('query'))
  return c.body(await listStoredChanges(c.get('ctx'), site, page), 200, JSON_HEADERS)
})
