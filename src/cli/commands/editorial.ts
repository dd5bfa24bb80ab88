/** Publishing posts, now or at a time, and asking their writers for changes. */
import { Option } from 'commander'
import type { Schemas } from '../../transfer/routes.ts'
import type { Verb } from '../command.ts'
import { call } from './calls.ts'

/** What a write says of the schedule that it has cancelled. */
export const cancelled = ({ cancelledSchedule }: { cancelledSchedule?: string | undefined }) =>
  cancelledSchedule ? `\nIts schedule is cancelled: it was to be published at ${cancelledSchedule}` : ''

const inTime = ({ slug, publishAt }: Schemas['PublicationSchedule']) =>
  publishAt ? `${slug} is to be published at ${publishAt}` : `${slug} is not scheduled`

/** Of posts. */
export const EDITORIAL_VERBS: Verb[] = [
  {
    usage: 'publish <site> <slug>',
    description: 'publish a post, now or at a time',
    flags: [
      new Option(
        '--at <time>',
        'have the draft published at this RFC 3339 date-time with offset, within 366 days',
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
    description: 'show when a draft is to be published',
    route: 'GET /sites/{siteId}/posts/{slug}/publication-schedule',
    text: inTime,
  }),
  call({
    usage: 'unschedule <site> <slug>',
    description: 'leave a draft a draft',
    route: 'DELETE /sites/{siteId}/posts/{slug}/publication-schedule',
    text: inTime,
  }),
  call({
    usage: 'request-changes <site> <slug>',
    description: 'request changes of a post, with a note to its writer, in place of the request before',
    flags: [
      new Option('--note <text>', 'what is to be changed, at most 2,000 characters').makeOptionMandatory(),
    ],
    route: 'PUT /sites/{siteId}/posts/{slug}/change-request',
    text: (review) => `Changes are requested of ${review.slug}${cancelled(review)}`,
  }),
  call({
    usage: 'resolve-changes <site> <slug>',
    description: 'remove the change request: it is done, or taken back',
    route: 'DELETE /sites/{siteId}/posts/{slug}/change-request',
    text: ({ slug }) => `No changes are requested of ${slug}`,
  }),
]
