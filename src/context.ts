/** The dependencies of a verb, passed in so that tests can replace them. */
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
  /** Null for public reads and background work. */
  actor: Actor | null
  /** Groups the audit log entries of this request, message or cron run. */
  changesetId: string
  db: Database
  written: { committed: Committed }
  redis: Redis
  queue: Pick<Queue<QueueMessage>, 'send' | 'sendBatch'>
  importQueue: Pick<Queue<QueueMessage>, 'send'>
  fetch: typeof fetch
  email: Pick<SendEmail, 'send'> | null
  log: Log
  logFields: Record<string, unknown>
  caches: Caches
  /** Takes cache tags. @throws Error when Cloudflare refuses */
  purgeCache: (tags: string[]) => Promise<void>
  /** Call it after a write that could not update Redis or purge the published files. */
  takesEffectLater: (withinMs: number) => void
  /** Gets the content version of each statement behind a body; undefined if there were no rows. */
  noteVersionRead: (version: unknown) => void
  /** Work to finish after the response. Failures are only logged. */
  defer: (work: Promise<unknown>) => void
}
