/** Redis over Upstash's REST protocol. */
import { Redis } from '@upstash/redis'
import type { Config } from './config.ts'

/** A reader goes on without Redis after this time. A writer has to reach it, and waits longer. */
export const READER_TIMEOUT_MS = 300
export const WRITER_TIMEOUT_MS = 600

/** A client of one request: pipelines shared by requests would be I/O that crosses them, which Workers forbid. */
export function connectRedis(config: Config, timeoutMs: number): Redis {
  return new Redis({
    url: config.UPSTASH_REDIS_REST_URL,
    token: config.UPSTASH_REDIS_REST_TOKEN,
    enableAutoPipelining: false,
    enableTelemetry: false,
    // One region without replicas has nothing to wait for.
    readYourWrites: false,
    // What is kept are numbers and ASCII, taken as they are sent.
    responseEncoding: false,
    automaticDeserialization: false,
    // `false` would still try twice, and a request could be counted twice.
    retry: { retries: 0 },
    signal: () => AbortSignal.timeout(timeoutMs),
  })
}
