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
import type { Operation } from '../http/document.ts'
import { createApp } from '../http/env.ts'
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
  summary: 'Get the publication schedule of a post',
  description: '`publishAt` is null if the post is not scheduled.',
  responses: { 200: jsonResponse(PublicationSchedule, 'The schedule'), ...siteErrors },
})

publicationSchedules.get(PATH, async (c) =>
  c.json(await getSchedule(c.get('ctx'), await siteOf(c), c.req.param('slug'))),
)

export const schedulePostOperation = (): Operation => ({
  route: `PUT ${PATH}`,
  operationId: 'schedulePost',
  summary: 'Schedule the publication of a draft',
  description: `The time must be within the next ${MAX_SCHEDULE_DAYS} days, in any time zone. The draft is published in that minute or soon after, never before, with that time as its \`publishedAt\`. Events are sent and the sitemap and feeds are updated as for any publication. Editing the draft with a put cancels the schedule, as do publishing, unpublishing, deleting and a change request.`,
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
  summary: 'Cancel the publication schedule of a draft',
  description: 'Does nothing if the draft is not scheduled.',
  responses: {
    200: writtenResponse(PublicationSchedule, 'The schedule, with `publishAt` null'),
    ...siteErrors,
    ...invalidQueryResponse,
  },
})

publicationSchedules.delete(PATH, query, async (c) =>
  c.json(await cancelSchedule(c.get('ctx'), await siteOf(c), c.req.param('slug'))),
)
