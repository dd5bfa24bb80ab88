/** What a verb needs from outside, passed in. Tests pass other parts. */
import type { Queue, SendEmail } from '@cloudflare/workers-types'
import type { Redis } from '@upstash/redis'
import type { Caches } from './caches.ts'
import type { Actor } from './core/actor.ts'
import type { Config } from './core/config.ts'
import type { Log } from './core/log.ts'
import type { Database } from './db/client.ts'
import type { Committed } from './db/write.ts'
import type { QueueMessage } from './queue-message.ts'

export type Context = {
  config: Config
  /** Null for the public's reads, and for what the service does by itself. */
  actor: Actor | null
  /** A UUID that the audit log's entries of this request, message or cron run share. */
  actId: string
  db: Database
  /** If a transaction of this request was committed. */
  written: { committed: Committed }
  redis: Redis
  queue: Pick<Queue<QueueMessage>, 'send' | 'sendBatch'>
  fetch: typeof fetch
  /** The binding that sends mail; null without it. */
  email: Pick<SendEmail, 'send'> | null
  log: Log
  /** Fields of every line that `log` writes from here on. */
  logFields: Record<string, unknown>
  caches: Caches
  /** Removes what the caches in front of the Worker have under these tags. @throws Error when that is refused */
  purgeCache: (tags: string[]) => Promise<void>
  /** Called after a write that Redis, or the cache of published files, could not be told of. */
  takesEffectLater: (withinMs: number) => void
  /** Called with the content version of each statement that a body is made of; with nothing if it had no rows to tell. */
  sawContentVersion: (version: unknown) => void
  /** Work that goes on after the response. If it fails, that is logged and nothing else happens. */
  defer: (work: Promise<unknown>) => void
}
