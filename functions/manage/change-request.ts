/** `/sites/{siteId}/posts/{slug}/change-request`. */
import { zValidator } from '@hono/zod-validator'
import {
  ChangeRequestInput,
  Review,
  requestChanges,
  resolveChanges,
} from '../../src/content/posts/change-request.ts'
import { createApp } from '../http/create-app.ts'
import type { Operation } from '../http/document.ts'
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
  summary: 'Request changes of a post, with a note to its writer',
  description:
    'Its `reviewStatus` is `changes_requested` until the request is removed, whatever is put meanwhile, and `changedAt` of the request tells when the content was last edited. The note is shown here and in the console, and never by the API. A schedule is cancelled. The console then neither publishes the post nor marks it ready; requests here still do. Requested again, the new note takes the place of the old.',
  body: ChangeRequestInput,
  responses: { 200: writtenResponse(Review, 'The request'), ...siteErrors, ...bodyErrors },
})

changeRequests.put(PATH, query, zValidator('json', ChangeRequestInput, refuseInvalid), async (c) =>
  c.json(await requestChanges(c.get('ctx'), await siteOf(c), c.req.param('slug'), c.req.valid('json'))),
)

export const resolveChangesOperation = (): Operation => ({
  route: `DELETE ${PATH}`,
  operationId: 'resolveChanges',
  summary: 'Remove a change request: it is done, or taken back',
  description:
    'A `reviewStatus` of `changes_requested` becomes `pending`. Changes nothing if no changes are requested.',
  responses: {
    200: writtenResponse(Review, 'The post, whose `changeRequest` is null'),
    ...siteErrors,
    ...invalidQueryResponse,
  },
})

changeRequests.delete(PATH, query, async (c) =>
  c.json(await resolveChanges(c.get('ctx'), await siteOf(c), c.req.param('slug'))),
)
