/** Redis over Upstash's REST protocol. */
import { Redis } from '@upstash/redis/cloudflare'
import type { Config } from './config.ts'
import { sha1Hex } from './ids.ts'

/**
 * A reader goes on without Redis after this time. A writer has to reach it, and waits longer. The cron and the queue's
 * consumer, for which nobody waits, may run on another continent: `placement` in wrangler.toml does not move them.
 */
export const READER_TIMEOUT_MS = 300
export const WRITER_TIMEOUT_MS = 600
export const BACKGROUND_TIMEOUT_MS = 5_000

/** The first line of every script: it locks the keys of `KEYS`, not the whole database. */
export const LOCKS_KEYS = '#!lua flags=allow-key-locking'

/**
 * The first lines of a script whose reads a promise depends on. It writes, though nothing, since a replica, which may lag,
 * can answer a script that only reads. The first key never expires.
 */
export const ON_LEADER = `${LOCKS_KEYS}
  redis.call('PERSIST', KEYS[1])`

/** A Redis client. Every call fails after `timeoutMs`. */
export function connectRedis(config: Config, timeoutMs: number): Redis {
  return new Redis({
    url: config.UPSTASH_REDIS_REST_URL,
    token: config.UPSTASH_REDIS_REST_TOKEN,
    // Workers do not let requests share I/O.
    enableAutoPipelining: false,
    enableTelemetry: false,
    // It would order the reads of one isolate after its own writes only.
    readYourWrites: false,
    // Values are numbers and ASCII, used as they are sent.
    responseEncoding: false,
    automaticDeserialization: false,
    // `false` would still retry once, and a request could be counted twice.
    retry: { retries: 0 },
    signal: () => AbortSignal.timeout(timeoutMs),
  })
}

const digests = new Map<string, string>()

/** Runs one of our few scripts by its digest, and sends its text when Redis does not have it. */
export async function runScript(
  redis: Redis,
  script: string,
  keys: string[],
  args: string[],
): Promise<unknown> {
  const digest = digests.get(script) ?? (await sha1Hex(script))
  digests.set(script, digest)
  try {
    return await redis.evalsha(digest, keys, args)
  } catch (error) {
    if (!String(error).includes('NOSCRIPT')) throw error
    return redis.eval(script, keys, args)
  }
}
