import { Option } from 'commander'
import type { Schemas } from '../../transfer/routes.ts'
import type { Verb } from '../command.ts'
import { call } from './calls.ts'

export const cancelled = ({ cancelledSchedule }: { cancelledSchedule?: string | undefined }) =>
  cancelledSchedule ? `\nCancelled its schedule for ${cancelledSchedule}` : ''

const inTime = ({ slug, publishAt }: Schemas['PublicationSchedule']) =>
  publishAt ? `${slug} is scheduled for ${publishAt}` : `${slug} is not scheduled`

export const EDITORIAL_VERBS: Verb[] = [
  {
    usage: 'publish <site> <slug>',
    description: 'publish a post, now or later',
    flags: [
      new Option(
        '--at <time>',
        'publish the draft at this time instead (RFC 3339 date-time with offset, within 366 days)',
      ),
    ],
    async work(_io, api, args, { at }: { at?: string }) {
      if (at !== undefined) {
        const path = 'PUT /sites/{siteId}/posts/{slug}/publication-schedule'
        const schedule = await api(path, args, { body: { publishAt: at } })
        return { json: schedule, text: inTime(schedule) }
      }
      const post = await api('PUT /sites/{siteId}/posts/{slug}/publication', args)
      const text = `Published ${post.slug} (published at ${post.publishedAt})${cancelled(post)}`
      return { json: post, text }
    },
  },
  call({
    usage: 'schedule <site> <slug>',
    description: 'show when a draft will be published',
    route: 'GET /sites/{siteId}/posts/{slug}/publication-schedule',
    text: inTime,
  }),
  call({
    usage: 'unschedule <site> <slug>',
    description: 'cancel the schedule of a draft',
    route: 'DELETE /sites/{siteId}/posts/{slug}/publication-schedule',
    text: inTime,
  }),
  call({
    usage: 'request-changes <site> <slug>',
    description: 'request changes to a post with a note to its writer; replaces an earlier request',
    flags: [new Option('--note <text>', 'requested changes, at most 2,000 characters').makeOptionMandatory()],
    route: 'PUT /sites/{siteId}/posts/{slug}/change-request',
    text: (review) => `Requested changes to ${review.slug}${cancelled(review)}`,
  }),
  call({
    usage: 'resolve-changes <site> <slug>',
    description: 'remove the change request, since it is done or withdrawn',
    route: 'DELETE /sites/{siteId}/posts/{slug}/change-request',
    text: ({ slug }) => `Removed the change request for ${slug}`,
  }),
]
