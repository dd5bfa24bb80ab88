/** Redis over Upstash's REST protocol. */
import { Redis } from '@upstash/redis/cloudflare'
import type { Config } from './config.ts'

/**
 * A reader goes on without Redis after this time. A writer has to reach it, and waits longer. The cron and the queue's
 * consumer, for which nobody waits, may run on another continent: `placement` in wrangler.toml does not move them.
 */
export const READER_TIMEOUT_MS = 300
export const WRITER_TIMEOUT_MS = 600
export const BACKGROUND_TIMEOUT_MS = 5_000

/** A Redis client. Every call fails after `timeoutMs`. */
export function connectRedis(config: Config, timeoutMs: number): Redis {
  return new Redis({
    url: config.UPSTASH_REDIS_REST_URL,
    token: config.UPSTASH_REDIS_REST_TOKEN,
    // Workers do not let requests share I/O.
    enableAutoPipelining: false,
    enableTelemetry: false,
    // There are no replicas to wait for.
    readYourWrites: false,
    // Values are numbers and ASCII, used as they are sent.
    responseEncoding: false,
    automaticDeserialization: false,
    // `false` would still retry once, and a request could be counted twice.
    retry: { retries: 0 },
    signal: () => AbortSignal.timeout(timeoutMs),
  })
}
