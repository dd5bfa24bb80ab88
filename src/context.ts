/** What a verb needs of the world, passed in; tests replace a part by passing another. */
import type { Redis } from '@upstash/redis'
import type { Caches } from './caches.ts'
import type { Config } from './config.ts'
import type { Database } from './db/client.ts'
import type { Log } from './log.ts'

/** A wake-up only: the outbox row is the event. */
export type EventMessage = { eventId: string }

export type Context = {
  config: Config
  db: Database
  redis: Redis
  queue: Pick<Queue<EventMessage>, 'send' | 'sendBatch'>
  fetch: typeof fetch
  log: Log
  /** Fields of every line that `log` writes from here on. */
  logFields: Record<string, unknown>
  caches: Caches
  /** Called when a write is stored that Redis could not be told of: it takes effect within a minute. */
  takesEffectLater: () => void
  /** Work that goes on after the answer; its failure is logged and changes nothing. */
  defer: (work: Promise<unknown>) => void
}
