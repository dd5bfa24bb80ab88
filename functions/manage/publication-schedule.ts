/** `/sites/{siteId}/posts/{slug}/publication-schedule`. */
import { zValidator } from '@hono/zod-validator'
import {
  cancelSchedule,
  getSchedule,
  MAX_SCHEDULE_DAYS,
  PublicationSchedule,
  PublicationScheduleInput,
  schedulePost,
} from '../../src/content/posts/publication-schedule.ts'
import { createApp } from '../http/create-app.ts'
import type { Operation } from '../http/document.ts'
import { errorResponse, invalidQueryResponse, jsonResponse } from '../http/responses.ts'
import { refuseInvalid } from '../http/validation.ts'
import { bodyErrors, siteErrors, writtenResponse } from './responses.ts'
import { NoQuery, siteOf } from './route.ts'

const PATH = '/sites/:siteId/posts/:slug/publication-schedule'

export const publicationSchedules = createApp()

const query = zValidator('query', NoQuery, refuseInvalid)

export const getPublicationScheduleOperation = (): Operation => ({
  route: `GET ${PATH}`,
  operationId: 'getPublicationSchedule',
  summary: 'Get when a draft is to be published',
  description: 'Also of a post that is not scheduled: `publishAt` is null then.',
  responses: { 200: jsonResponse(PublicationSchedule, 'The schedule'), ...siteErrors },
})

publicationSchedules.get(PATH, async (c) =>
  c.json(await getSchedule(c.get('ctx'), await siteOf(c), c.req.param('slug'))),
)

export const schedulePostOperation = (): Operation => ({
  route: `PUT ${PATH}`,
  operationId: 'schedulePost',
  summary: 'Have a draft published at a time',
  description: `Within the next ${MAX_SCHEDULE_DAYS} days, in any time zone. It is published in that minute or soon after, never before, with that time as its \`publishedAt\`, and the events, sitemap and feeds follow as for any publication. A put that edits the draft cancels it, as do publishing, unpublishing, deleting and a change request.`,
  body: PublicationScheduleInput,
  responses: {
    200: writtenResponse(PublicationSchedule, 'The schedule'),
    ...siteErrors,
    ...bodyErrors,
    409: errorResponse('The post is published'),
  },
})

publicationSchedules.put(
  PATH,
  query,
  zValidator('json', PublicationScheduleInput, refuseInvalid),
  async (c) =>
    c.json(await schedulePost(c.get('ctx'), await siteOf(c), c.req.param('slug'), c.req.valid('json'))),
)

export const cancelPublicationScheduleOperation = (): Operation => ({
  route: `DELETE ${PATH}`,
  operationId: 'cancelPublicationSchedule',
  summary: 'Leave a draft a draft',
  description: 'Changes nothing if it is not scheduled.',
  responses: {
    200: writtenResponse(PublicationSchedule, 'The schedule, whose `publishAt` is null'),
    ...siteErrors,
    ...invalidQueryResponse,
  },
})

publicationSchedules.delete(PATH, query, async (c) =>
  c.json(await cancelSchedule(c.get('ctx'), await siteOf(c), c.req.param('slug'))),
)
