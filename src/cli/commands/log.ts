import { Option } from 'commander'
import { Failure } from '../../transfer/failure.ts'
import type { Schemas } from '../../transfer/routes.ts'
import { limitFlag, type Noun, wholeNumber } from '../command.ts'
import { fieldLines } from '../output.ts'
import { call, listed } from './calls.ts'
import { type ResendFlags, resendFailed, stopResend } from './resend-failed.ts'

export const EVENT: Noun = {
  name: 'event',
  description: 'events of a site',
  verbs: [
    listed({
      usage: 'list <site>',
      description: 'list events, newest first',
      flags: [limitFlag()],
      route: 'GET /sites/{siteId}/events',
      columns: {
        created: (event) => event.createdAt,
        event: (event) => event.event,
        slug: (event) => event.slug,
        state: (event) => event.state,
        id: (event) => event.id,
      },
      none: 'No events yet',
    }),
    {
      usage: 'resend <site> [event]',
      description: 'resend one event, or all failed events that were not delivered since',
      flags: [
        new Option('--failed', 'all failed events that were not delivered since'),
        new Option('--failed-since <time>', 'only events that failed since this time'),
        new Option('--failed-until <time>', 'only events that failed before this time (default: now)'),
        new Option('--webhook <id>', "only for this webhook; the site's id stands for the first one"),
        new Option(
          '--include-interrupted',
          'also events whose delivery a crash interrupted; they may have been delivered',
        ),
        new Option('--limit-per-second <number>', 'maximum events per second').argParser(wholeNumber),
        new Option('--dry-run', 'only count them'),
        new Option('--stop', 'stop the running resend'),
      ],
      async work(io, api, [site = '', event], { failed, stop, ...flags }: ResendFlags) {
        const ofFailed = Object.values(flags).some((given) => given !== undefined)
        if (event !== undefined) {
          if (failed || stop || ofFailed) throw new Failure('Give either an event or --failed with its flags')
        } else if (stop) {
          if (failed || ofFailed) throw new Failure('--stop takes no other flags')
          return stopResend(api, site)
        } else {
          if (!failed && !flags.failedSince) throw new Failure('Give an event, --failed or --failed-since')
          return resendFailed(io, api, site, flags)
        }
        const delivery = await api('POST /sites/{siteId}/events/{eventId}/resends', [site, event])
        return { json: delivery, text: toDeliveryText(delivery), complete: delivery.error === null }
      },
    },
  ],
}

export const DELIVERY: Noun = {
  name: 'delivery',
  description: 'delivery attempts of a site',
  verbs: [
    listed({
      usage: 'list <site>',
      description: 'list delivery attempts, newest first',
      flags: [
        limitFlag(),
        new Option('--event <name>', 'only this event, for example article.ready'),
        new Option(
          '--outcome <name>',
          'only delivered, failed, not_arrived, under_way, or one error, for example timeout',
        ),
      ],
      route: 'GET /sites/{siteId}/deliveries',
      columns: {
        attempted: (delivery) => delivery.attemptedAt,
        event: (delivery) => delivery.event,
        slug: (delivery) => delivery.slug,
        to: (delivery) => delivery.url,
        status: (delivery) => delivery.status,
        error: (delivery) => delivery.error,
        ms: (delivery) => delivery.durationMs,
        manual: (delivery) => (delivery.manual ? 'manual' : null),
        'event id': (delivery) => delivery.eventId,
        id: (delivery) => delivery.id,
      },
      none: 'No deliveries yet',
      noSuch: 'No such deliveries',
    }),
    call({
      usage: 'show <site> <delivery>',
      description: 'show the request and response of a delivery',
      route: 'GET /sites/{siteId}/deliveries/{deliveryId}',
      text: toDeliveryText,
    }),
  ],
}

function toDeliveryText({
  request,
  answerExcerpt,
  answerTruncated,
  answerHeaders,
  ...fields
}: Schemas['DeliveryInFull']): string {
  const sent = request ? `\n\n${fieldLines(request.headers)}\n\n${request.body}` : ''
  const answer = [answerHeaders && fieldLines(answerHeaders), answerExcerpt].filter(Boolean)
  const title = answerTruncated ? 'answered (truncated)' : 'answered'
  const answered = answer.length > 0 ? `\n\n${title}\n${answer.join('\n\n')}` : ''
  return `${fieldLines(fields)}${sent}${answered}`
}
