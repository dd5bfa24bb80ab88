/** Events and the attempts to deliver them. */
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
      description: 'send a finished event again, or all that failed and have not arrived',
      flags: [
        new Option('--failed', 'all events that failed and have not arrived'),
        new Option('--failed-since <time>', 'only those that failed since then'),
        new Option('--failed-until <time>', 'only those that had failed by then (default: now)'),
        new Option('--webhook <id>', "only those of this webhook; of the first one, the site's id"),
        new Option(
          '--include-interrupted',
          'also those that the service was sending when it died, which may have arrived',
        ),
        new Option('--limit-per-second <number>', 'at most this many a second').argParser(wholeNumber),
        new Option('--dry-run', 'only count them'),
        new Option('--stop', 'stop the one that goes on'),
      ],
      async work(io, api, [site = '', event], { failed, stop, ...flags }: ResendFlags) {
        const ofFailed = Object.values(flags).some((given) => given !== undefined)
        if (event !== undefined) {
          if (failed || stop || ofFailed)
            throw new Failure('Give an event or --failed with its flags, not both')
        } else if (stop) {
          if (failed || ofFailed) throw new Failure('--stop takes no other flags')
          return stopResend(api, site)
        } else {
          if (!failed && !flags.failedSince) throw new Failure('Give an event, --failed or --failed-since')
          return resendFailed(io, api, site, flags)
        }
        const delivery = await api('POST /sites/{siteId}/events/{eventId}/resends', [site, event])
        return { json: delivery, text: inFull(delivery), complete: delivery.error === null }
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
        new Option('--event <name>', 'only of this event, such as article.ready'),
        new Option(
          '--outcome <name>',
          'only delivered, failed, not_arrived, under_way, or of one error, such as timeout',
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
      description: 'show what was sent and answered',
      route: 'GET /sites/{siteId}/deliveries/{deliveryId}',
      text: inFull,
    }),
  ],
}

function inFull({
  request,
  answerExcerpt,
  answerTruncated,
  answerHeaders,
  ...fields
}: Schemas['DeliveryInFull']): string {
  const sent = request ? `\n\n${fieldLines(request.headers)}\n\n${request.body}` : ''
  const answer = [answerHeaders && fieldLines(answerHeaders), answerExcerpt].filter(Boolean)
  const title = answerTruncated ? 'answered (not all of it)' : 'answered'
  const answered = answer.length > 0 ? `\n\n${title}\n${answer.join('\n\n')}` : ''
  return `${fieldLines(fields)}${sent}${answered}`
}
