/** `/sites/{siteId}/posts/{slug}/change-request`. */
import { zValidator } from '@hono/zod-validator'
import {
  ChangeRequestInput,
  Review,
  requestChanges,
  resolveChanges,
} from '../../src/content/posts/change-request.ts'
import type { Operation } from '../http/document.ts'
import { createApp } from '../http/env.ts'
import { invalidQueryResponse } from '../http/responses.ts'
import { refuseInvalid } from '../http/validation.ts'
import { bodyErrors, siteErrors, writtenResponse } from './responses.ts'
import { NoQuery, siteOf } from './route.ts'

const PATH = '/sites/:siteId/posts/:slug/change-request'

export const changeRequests = createApp()

const query = zValidator('query', NoQuery, refuseInvalid)

export const requestChangesOperation = (): Operation => ({
  route: `PUT ${PATH}`,
  operationId: 'requestChanges',
  summary: 'Request changes to a post',
  description:
    'The note is for the writer. It is visible in this API and in the console, never in `/api/v1`. `reviewStatus` stays `changes_requested` until the request is removed, even if a put sets another value. `changedAt` is when the content was last edited since. A schedule is cancelled. The console refuses to publish the post or mark it ready; this API still does. A second request replaces the note.',
  body: ChangeRequestInput,
  responses: { 200: writtenResponse(Review, 'The change request'), ...siteErrors, ...bodyErrors },
})

changeRequests.put(PATH, query, zValidator('json', ChangeRequestInput, refuseInvalid), async (c) =>
  c.json(await requestChanges(c.get('ctx'), await siteOf(c), c.req.param('slug'), c.req.valid('json'))),
)

export const resolveChangesOperation = (): Operation => ({
  route: `DELETE ${PATH}`,
  operationId: 'resolveChanges',
  summary: 'Remove a change request',
  description:
    'Use it when the changes are made or no longer needed. A `reviewStatus` of `changes_requested` becomes `pending`. Does nothing if no changes are requested.',
  responses: {
    200: writtenResponse(Review, 'The post, with `changeRequest` null'),
    ...siteErrors,
    ...invalidQueryResponse,
  },
})

changeRequests.delete(PATH, query, async (c) =>
  c.json(await resolveChanges(c.get('ctx'), await siteOf(c), c.req.param('slug'))),
)
