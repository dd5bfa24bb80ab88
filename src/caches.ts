/** What an isolate keeps between requests. Keys and bodies are used only if Redis confirms their versions. */
import type { keyAccesses } from './db/enums.ts'
import type { SiteScope } from './db/site-scope.ts'
import { LruCache } from './lru-cache.ts'

/** What a key opens, as of the site's versions in `site`. Without a `keyId` it is the id of a published sitemap. */
export type ApiKeyAuth = { keyId: string | null; access: (typeof keyAccesses)[number]; site: SiteScope }

/** As Postgres had it at `checkedAt`. That and the key's `expiresAt` are Unix milliseconds. */
export type CachedAuth = { auth: ApiKeyAuth; checkedAt: number; expiresAt: number | null }

/** `paging` is what the route makes a `Link` of. */
export type Body<Bytes = Uint8Array<ArrayBuffer>> = { body: Bytes; paging: string | null }

export type CachedBody = Body & { etag: string }

export type Caches = {
  /** By the hash of the key. */
  auths: LruCache<CachedAuth>
  /** Keys that opened nothing, by hash, with the Unix milliseconds until which they are not looked up again. */
  refusedKeys: LruCache<number>
  /** By site, content version and what was asked for. */
  bodies: LruCache<CachedBody>
  /** What Redis knows of a key or a site, by its id, with the Unix milliseconds until which it need not be told again. */
  noted: LruCache<number>
}

const MIB = 1024 * 1024
const AUTH_BYTES = 2_048
const NUMBER_BYTES = 8

/** Of the 128 MiB of an isolate: the largest answers need several times their size while they are made. */
const LIMITS = {
  auths: 4 * MIB,
  refusedKeys: MIB / 4,
  bodies: 32 * MIB,
  noted: MIB,
}

/** Each has its own limit, so that whoever guesses keys pushes nothing else out. `limits` are in bytes. */
export function createCaches(limits: Partial<typeof LIMITS> = {}): Caches {
  const bytes = { ...LIMITS, ...limits }
  return {
    auths: new LruCache(bytes.auths, () => AUTH_BYTES),
    refusedKeys: new LruCache(bytes.refusedKeys, () => NUMBER_BYTES),
    bodies: new LruCache(bytes.bodies, ({ body }) => body.byteLength),
    noted: new LruCache(bytes.noted, () => NUMBER_BYTES),
  }
}
