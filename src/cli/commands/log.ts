/** Events and the attempts to deliver them. */
import { type Command, Option } from 'commander'
import { listAll, path } from '../client.ts'
import { limitFlag, verb, wholeNumber } from '../command.ts'
import { Failure } from '../failure.ts'
import type { Io } from '../io.ts'
import { fieldLines, list } from '../output.ts'
import { type ResendFlags, resendFailed } from './resend-failed.ts'

type Event = { id: string; event: string; slug: string | null; state: string; createdAt: string }
type Delivery = {
  id: string
  eventId: string
  event: string
  slug: string | null
  status: number | null
  error: string | null
  durationMs: number | null
  manual: boolean
  attemptedAt: string
}
type DeliveryInFull = Delivery & {
  request: { headers: Record<string, string>; body: string } | null
  answerExcerpt: string | null
  answerTruncated: boolean
  answerHeaders: Record<string, string> | null
}

/** Adds `event list|resend`. */
export function addEvent(program: Command, io: Io): void {
  const noun = program.command('event').description('events of a site')
  verb<{ limit?: number }>(
    io,
    noun,
    'list <site>',
    'list events, newest first',
    async (api, [site = ''], flags) => {
      const events = await listAll<Event>(api, path`/sites/${site}/events`, flags.limit)
      const columns = {
        created: (event: Event) => event.createdAt,
        event: (event: Event) => event.event,
        slug: (event: Event) => event.slug,
        state: (event: Event) => event.state,
        id: (event: Event) => event.id,
      }
      return list(events, columns, 'No events yet')
    },
    [limitFlag()],
  )
  verb<ResendFlags>(
    io,
    noun,
    'resend <site> [event]',
    'send a finished event again, or all that failed since a time and have not arrived',
    async (api, [site = '', event], flags) => {
      if (flags.failedSince !== undefined) {
        if (event !== undefined) throw new Failure('Give an event or --failed-since, not both')
        return resendFailed(io, api, site, flags as ResendFlags & { failedSince: string })
      }
      if (event === undefined) throw new Failure('Give an event, or --failed-since')
      const { failedUntil, limitPerSecond, includeInterrupted, dryRun } = flags
      if (failedUntil !== undefined || limitPerSecond !== undefined || includeInterrupted || dryRun)
        throw new Failure(
          '--failed-until, --include-interrupted, --limit-per-second and --dry-run need --failed-since',
        )
      const delivery = await api<DeliveryInFull>('POST', path`/sites/${site}/events/${event}/resends`)
      return { json: delivery, text: inFull(delivery), complete: delivery.error === null }
    },
    [
      new Option('--failed-since <time>', 'all events that failed since then and have not arrived'),
      new Option('--failed-until <time>', 'only those that had failed by then (default: now)'),
      new Option(
        '--include-interrupted',
        'also those that the service was sending when it died, which may have arrived',
      ),
      new Option('--limit-per-second <number>', 'of them (default: 5)').argParser(wholeNumber),
      new Option('--dry-run', 'only count them'),
    ],
  )
}

/** Adds `delivery list|show`. */
export function addDelivery(program: Command, io: Io): void {
  const noun = program.command('delivery').description('delivery attempts of a site')
  verb<{ limit?: number; event?: string; outcome?: string }>(
    io,
    noun,
    'list <site>',
    'list delivery attempts, newest first',
    async (api, [site = ''], { limit, event, outcome }) => {
      const query = { ...(event && { event }), ...(outcome && { outcome }) }
      const deliveries = await listAll<Delivery>(api, path`/sites/${site}/deliveries`, limit, query)
      const columns = {
        attempted: (delivery: Delivery) => delivery.attemptedAt,
        event: (delivery: Delivery) => delivery.event,
        slug: (delivery: Delivery) => delivery.slug,
        status: (delivery: Delivery) => delivery.status,
        error: (delivery: Delivery) => delivery.error,
        ms: (delivery: Delivery) => delivery.durationMs,
        manual: (delivery: Delivery) => (delivery.manual ? 'manual' : null),
        'event id': (delivery: Delivery) => delivery.eventId,
        id: (delivery: Delivery) => delivery.id,
      }
      const none = event || outcome ? 'No such deliveries' : 'No deliveries yet'
      return list(deliveries, columns, none)
    },
    [
      limitFlag(),
      new Option('--event <name>', 'only of this event, such as article.ready'),
      new Option(
        '--outcome <name>',
        'only delivered, failed, not_arrived, under_way, or of one error, such as timeout',
      ),
    ],
  )
  verb(
    io,
    noun,
    'show <site> <delivery>',
    'show what was sent and answered',
    async (api, [site = '', id = '']) => {
      const delivery = await api<DeliveryInFull>('GET', path`/sites/${site}/deliveries/${id}`)
      return { json: delivery, text: inFull(delivery) }
    },
  )
}

function inFull({
  request,
  answerExcerpt,
  answerTruncated,
  answerHeaders,
  ...fields
}: DeliveryInFull): string {
  const sent = request ? `\n\n${fieldLines(request.headers)}\n\n${request.body}` : ''
  const answer = [answerHeaders && fieldLines(answerHeaders), answerExcerpt].filter(Boolean)
  const title = answerTruncated ? 'answered (not all of it)' : 'answered'
  const answered = answer.length > 0 ? `\n\n${title}\n${answer.join('\n\n')}` : ''
  return `${fieldLines(fields)}${sent}${answered}`
}
