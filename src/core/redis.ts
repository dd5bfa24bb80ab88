import { Redis } from '@upstash/redis/cloudflare'
import type { Config } from './config.ts'
import { sha1Hex } from './ids.ts'

/** Readers continue without Redis, writers need it, and background work may run far away (`placement` doesn't move it). */
export const READER_TIMEOUT_MS = 300
export const WRITER_TIMEOUT_MS = 600
export const BACKGROUND_TIMEOUT_MS = 5_000

/** Locks `KEYS` instead of the whole database. Every script needs it. */
export const LOCKS_KEYS = '#!lua flags=allow-key-locking'

/** For consistent reads: the no-op write forces the leader, because replicas may lag. The first key never expires. */
export const ON_LEADER = `${LOCKS_KEYS}
  redis.call('PERSIST', KEYS[1])`

export function connectRedis(config: Config, timeoutMs: number): Redis {
  return new Redis({
    url: config.UPSTASH_REDIS_REST_URL,
    token: config.UPSTASH_REDIS_REST_TOKEN,
    // Workers cannot share I/O between requests.
    enableAutoPipelining: false,
    enableTelemetry: false,
    // It would only order reads after this isolate's own writes.
    readYourWrites: false,
    // Values are numbers and ASCII, and are used as sent.
    responseEncoding: false,
    automaticDeserialization: false,
    // `false` would still retry once, and could count a request twice.
    retry: { retries: 0 },
    signal: () => AbortSignal.timeout(timeoutMs),
  })
}

const digests = new Map<string, string>()

/** Sends the script's text only if Redis does not have it. */
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
