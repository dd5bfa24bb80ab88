/**
 * The tests' own Redis and Postgres work, but may be slow on a busy machine: only their replacements in a test get short
 * timeouts.
 */
import { env } from 'cloudflare:workers'

const { UPSTASH_REDIS_REST_URL, DATABASE_HTTP_ENDPOINT } = env as unknown as Record<string, string>
const { fetch } = globalThis

globalThis.fetch = async (input, init) => {
  const url = String(input)
  if (!url.startsWith(UPSTASH_REDIS_REST_URL!) && url !== DATABASE_HTTP_ENDPOINT) return fetch(input, init)
  init?.signal?.throwIfAborted()
  return fetch(input, { ...init, signal: null })
}
