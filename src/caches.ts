/** In-memory caches of an isolate. Keys and bodies are used only after Redis confirms their versions. */

import { LruCache } from './cache/lru-cache.ts'
import { SingleFlight } from './cache/single-flight.ts'
import type { keyAccesses } from './core/enums.ts'
import type { SiteScope } from './db/site-scope.ts'

/** Without a `keyId`: a published sitemap's id, or with access `preview` a link to the post `postId`. */
export type ApiKeyAuth = {
  keyId: string | null
  access: (typeof keyAccesses)[number] | 'preview'
  postId?: string
  site: SiteScope
}

declare const confirmed: unique symbol
/** Redis or Postgres confirmed it during this request. Only src/access/admission.ts creates one. */
export type ConfirmedAuth = ApiKeyAuth & { readonly [confirmed]: true }

/** Both times are Unix milliseconds. */
export type CachedAuth = { auth: ApiKeyAuth; checkedAt: number; expiresAt: number | null }

/** `isFresh`: we just asked Postgres. `redis` is false if Redis just failed. */
export type LookedUp = { cached: CachedAuth; isFresh: boolean; redis: boolean }

export type AuthRow = Omit<CachedAuth, 'checkedAt'>

/** Many visitors share an address behind a front end, so guesses are slowed down, not refused. */
export type BatchedKind = 'keys' | 'drafts'

/** `found` has settled. */
type Batch = { asked: Set<string>; found: Promise<Map<string, AuthRow>> }

/** `reset` is Unix milliseconds. */
type Attempts = { wrong: number; unjudged: number; reset: number }

/** `until` is Unix milliseconds. */
export type LiveTokens = { hashes: ReadonlySet<string>; until: number }

/** Ends at `reset` (Unix seconds). `used`: Redis's last reply. `inFlight`: requests. `uncounted`: served since. */
export type DayUse = { used: number; inFlight: number; uncounted: number; reset: number }

export type CachedBody = { body: Uint8Array<ArrayBuffer>; totalPages: number | null; etag: string }

/** A stream is a body too large to cache. */
export type LoadedBody = Omit<CachedBody, 'body'> & { body: CachedBody['body'] | ReadableStream<Uint8Array> }

export type Caches = {
  /** By key hash. */
  auths: LruCache<CachedAuth>
  /** By hash, until these Unix milliseconds. */
  refusedKeys: LruCache<number>
  /** By kind and address. */
  attempts: LruCache<Attempts>
  /** By site, version and request. */
  bodies: LruCache<CachedBody>
  /** Until when (Unix ms) to skip noting a key or site in Redis, logging a refusal, or enqueuing a site's store message. */
  skipUntil: LruCache<number>
  used: LruCache<DayUse>
  liveTokens: LruCache<LiveTokens>
  lookups: SingleFlight<LookedUp | null>
  queries: SingleFlight<CachedAuth | null>
  /** Lookups above the budget for guesses, and the hashes for the next batch. */
  batches: SingleFlight<Batch>
  waiting: Record<BatchedKind, Set<string>>
  /** Null if Redis is unreachable. */
  firstCounts: SingleFlight<object | null>
  tokenReads: SingleFlight<LiveTokens>
  /** Null for a stream. */
  loads: SingleFlight<CachedBody | null>
  storeMessages: SingleFlight<void>
}

const MIB = 1024 * 1024
const AUTH_BYTES = 2_048
const NUMBER_BYTES = 8
const HASH_BYTES = 128
/** Longer than reads wait for Postgres. */
const MAX_WAIT_MS = 5_000

/** Out of an isolate's 128 MiB. Building the largest responses needs several times their size. */
const LIMITS = {
  auths: 4 * MIB,
  refusedKeys: MIB / 4,
  attempts: MIB,
  bodies: 32 * MIB,
  skipUntil: MIB,
  used: MIB,
  liveTokens: 8 * MIB,
}

/** In bytes. Separate limits, so that guessed keys evict nothing else. */
export function createCaches(limits: Partial<typeof LIMITS> = {}): Caches {
  const bytes = { ...LIMITS, ...limits }
  return {
    auths: new LruCache(bytes.auths, () => AUTH_BYTES),
    refusedKeys: new LruCache(bytes.refusedKeys, () => NUMBER_BYTES),
    attempts: new LruCache(bytes.attempts, () => 3 * NUMBER_BYTES),
    bodies: new LruCache(bytes.bodies, ({ body }) => body.byteLength),
    skipUntil: new LruCache(bytes.skipUntil, () => NUMBER_BYTES),
    used: new LruCache(bytes.used, () => 4 * NUMBER_BYTES),
    liveTokens: new LruCache(bytes.liveTokens, ({ hashes }) => hashes.size * HASH_BYTES),
    lookups: new SingleFlight(MAX_WAIT_MS),
    queries: new SingleFlight(MAX_WAIT_MS),
    batches: new SingleFlight(MAX_WAIT_MS),
    waiting: { keys: new Set(), drafts: new Set() },
    firstCounts: new SingleFlight(MAX_WAIT_MS),
    tokenReads: new SingleFlight(MAX_WAIT_MS),
    loads: new SingleFlight(MAX_WAIT_MS),
    storeMessages: new SingleFlight(MAX_WAIT_MS),
  }
}
