/** What became of events: the events themselves, and each attempt to deliver one. */
import { type Command, Option } from 'commander'
import { listAll, path } from './client.ts'
import { verb, wholeNumber } from './command.ts'
import { table } from './output.ts'

type Event = { id: string; event: string; slug: string | null; state: string; createdAt: string }
type Delivery = {
  eventId: string
  event: string
  slug: string | null
  status: number
  error: string | null
  durationMs: number
  attemptedAt: string
}

const limit = () => new Option('--limit <number>', 'at most so many').argParser(wholeNumber)

/** Adds `event list`. */
export function addEvent(program: Command): void {
  const noun = program.command('event').description('events of a site')
  verb<{ limit?: number }>(
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
      return { json: events, text: table(events, columns, 'No events yet') }
    },
    [limit()],
  )
}

/** Adds `delivery list`. */
export function addDelivery(program: Command): void {
  const noun = program.command('delivery').description('delivery attempts of a site')
  verb<{ limit?: number }>(
    noun,
    'list <site>',
    'list delivery attempts, newest first',
    async (api, [site = ''], flags) => {
      const deliveries = await listAll<Delivery>(api, path`/sites/${site}/deliveries`, flags.limit)
      const columns = {
        attempted: (delivery: Delivery) => delivery.attemptedAt,
        event: (delivery: Delivery) => delivery.event,
        slug: (delivery: Delivery) => delivery.slug,
        status: (delivery: Delivery) => delivery.status,
        error: (delivery: Delivery) => delivery.error,
        ms: (delivery: Delivery) => delivery.durationMs,
        'event id': (delivery: Delivery) => delivery.eventId,
      }
      return { json: deliveries, text: table(deliveries, columns, 'No deliveries yet') }
    },
    [limit()],
  )
}
