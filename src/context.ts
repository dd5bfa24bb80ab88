/** What a verb needs of the world, passed in; tests replace a part by passing another. */
import type { Redis } from '@upstash/redis'
import type { Config } from './config.ts'
import type { Database } from './db/client.ts'
import type { Log } from './log.ts'
import type { LruCache } from './lru-cache.ts'

/** A wake-up only: the outbox row is the event. */
export type EventMessage = { eventId: string }

export type Context = {
  config: Config
  db: Database
  redis: Redis
  queue: Pick<Queue<EventMessage>, 'send' | 'sendBatch'>
  fetch: typeof fetch
  log: Log
  /** Of this isolate; what is in it holds as long as the gate says so. */
  memory: LruCache<unknown>
  /** Called when a write is stored that Redis could not be told of: it takes effect within a minute. */
  takesEffectLater: () => void
  /** Of this isolate: hashes of keys that opened nothing, and until when that is believed. See `authorize`. */
  refusals: LruCache<number>
  /** Work that goes on after the answer; its failure is logged and changes nothing. */
  defer: (work: Promise<unknown>) => void
}
