/** What an isolate keeps between requests. Keys and bodies are used only if Redis confirms their versions. */

import { LruCache } from './cache/lru-cache.ts'
import { SingleFlight } from './cache/single-flight.ts'
import type { keyAccesses } from './core/enums.ts'
import type { SiteScope } from './db/site-scope.ts'

/**
 * What a key opens, as of the site's versions in `site`. Without a `keyId` it is the id of a published sitemap, or, with the
 * access `preview`, a link to the post `postId`.
 */
export type ApiKeyAuth = {
  keyId: string | null
  access: (typeof keyAccesses)[number] | 'preview'
  postId?: string
  site: SiteScope
}

declare const confirmed: unique symbol
/** The same, still true when Redis or Postgres was asked for this request. Only admission (src/access/admission.ts) makes one. */
export type ConfirmedAuth = ApiKeyAuth & { readonly [confirmed]: true }

/** As Postgres had it at `checkedAt`. That and the key's `expiresAt` are Unix milliseconds. */
export type CachedAuth = { auth: ApiKeyAuth; checkedAt: number; expiresAt: number | null }

/** `isFresh`: Postgres was asked just now. Without `redis`, that has just failed. */
export type LookedUp = { cached: CachedAuth; isFresh: boolean; redis: boolean }

/** What Postgres answers to a lookup. */
export type AuthRow = Omit<CachedAuth, 'checkedAt'>

/** Where credentials of front ends are presented, of which many may share an address: guesses slow down and are not refused. */
export type BatchedKind = 'keys' | 'drafts'

/** Lookups that one query answered, by hash. */
type Batch = { asked: Set<string>; found: Map<string, AuthRow> }

/** Attempts with credentials until `reset`, in Unix milliseconds. */
type Attempts = { wrong: number; unjudged: number; reset: number }

/** The hashes of all operators' tokens, good until those Unix milliseconds. */
export type LiveTokens = { hashes: ReadonlySet<string>; until: number }

/**
 * Requests of the UTC day that ends at `reset`, in Unix seconds: `used` as Redis last said, `asking` those that this isolate is
 * asking it about, and `alone` those that it has served since without its reply.
 */
export type DayUse = { used: number; asking: number; alone: number; reset: number }

/** As it was read at the version of its tag. `paging` is what the route makes a `Link` of. */
export type CachedBody = { body: Uint8Array<ArrayBuffer>; paging: string | null; etag: string }

/** A large one, which is sent while it is read, is for one request alone. */
export type LoadedBody = Omit<CachedBody, 'body'> & { body: CachedBody['body'] | ReadableStream<Uint8Array> }

export type Caches = {
  /** By the hash of the key. */
  auths: LruCache<CachedAuth>
  /** Keys that opened nothing, by hash, with the Unix milliseconds until which they are not looked up again. */
  refusedKeys: LruCache<number>
  /** By kind and address. */
  attempts: LruCache<Attempts>
  /** By site, version and what was asked for. */
  bodies: LruCache<CachedBody>
  /**
   * What Redis knows of a key or a site, by its id, and what the audit log has of refusals, with the Unix milliseconds until
   * which it need not be told again.
   */
  skipUntil: LruCache<number>
  /** What this isolate knows of a counter, by its name. */
  used: LruCache<DayUse>
  /** Under `all`. */
  liveTokens: LruCache<LiveTokens>
  /** By site and content version, the first page from which on its sitemap has none; also by a page before that it has not. */
  sitemapEnds: LruCache<number>
  /** Lookups of keys that are under way, by hash: with all they ask, those of Postgres, and first counts by counter. */
  lookups: SingleFlight<LookedUp | null>
  queries: SingleFlight<CachedAuth | null>
  /** Lookups above the budget for guesses, and the hashes that the next batch asks for. */
  batches: SingleFlight<Batch>
  waiting: Record<BatchedKind, Set<string>>
  firstCounts: SingleFlight<{ reached: boolean }>
  tokenReads: SingleFlight<LiveTokens>
  /** Of bodies, by the key of `bodies`. */
  loads: SingleFlight<LoadedBody>
  /** Messages to publish a site that are being sent. */
  publications: SingleFlight<void>
}

const MIB = 1024 * 1024
const AUTH_BYTES = 2_048
const NUMBER_BYTES = 8
const HASH_BYTES = 128
/** Longer than reads wait for Postgres. */
const MAX_WAIT_MS = 5_000

/** Of the 128 MiB of an isolate: the largest answers need several times their size while they are made. */
const LIMITS = {
  auths: 4 * MIB,
  refusedKeys: MIB / 4,
  attempts: MIB,
  bodies: 32 * MIB,
  skipUntil: MIB,
  used: MIB,
  liveTokens: 8 * MIB,
  sitemapEnds: MIB / 4,
}

/** Each has its own limit, so that whoever guesses keys pushes nothing else out. `limits` are in bytes. */
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
    sitemapEnds: new LruCache(bytes.sitemapEnds, () => NUMBER_BYTES),
    lookups: new SingleFlight(MAX_WAIT_MS),
    queries: new SingleFlight(MAX_WAIT_MS),
    batches: new SingleFlight(MAX_WAIT_MS),
    waiting: { keys: new Set(), drafts: new Set() },
    firstCounts: new SingleFlight(MAX_WAIT_MS),
    tokenReads: new SingleFlight(MAX_WAIT_MS),
    loads: new SingleFlight(MAX_WAIT_MS),
    publications: new SingleFlight(MAX_WAIT_MS),
  }
}
