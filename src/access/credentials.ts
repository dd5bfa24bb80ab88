/**
 * Finds the access of a credential: in the isolate's memory, then in Redis for all isolates, then in Postgres. Entries in Redis
 * are encrypted, so that write access to Redis cannot forge access or restore expired access.
 */
import { RETRY_WITHIN_MS } from '../cache/single-flight.ts'
import type { AuthRow, BatchedKind, CachedAuth } from '../caches.ts'
import type { Context } from '../context.ts'
import type { ErrorCode } from '../core/errors.ts'
import { decrypt, encrypt } from '../crypto/encryption.ts'
import { siteScope } from '../db/site-scope.ts'
import { AUTH_TTL_MS, versionKey } from '../freshness/site-versions.ts'
import { currentVersions } from '../freshness/versions.ts'

const REFUSED_FOR_MS = 10_000
const BETWEEN_QUERIES_MS = 250
const MAX_BATCH = 1_000

/** An API key, a published sitemap's id or a preview link's token. */
export type Credential = {
  /** SHA-256 in hex, the cache key. */
  hash: string
  siteId: string | null
  /** Looks up all hashes in one query. Returns only those that grant access. */
  find: (ctx: Context, hashes: string[]) => Promise<Map<string, AuthRow>>
  /** `find` already batches its queries, so skip Redis. */
  isBatched?: true
  refusal: ErrorCode
}

/** At most 65 minutes old, and current only if Redis has the same versions: see `admitRequest`. */
export function findLocalAuth(ctx: Context, { hash }: Credential): CachedAuth | null {
  const cached = ctx.caches.auths.get(hash)
  return cached && !isExpired(cached) ? cached : null
}

/** A refused credential never becomes valid, but manual SQL may insert one, so the cache lasts 10 s. */
export function isRefused(ctx: Context, { hash }: Credential): boolean {
  return Date.now() < (ctx.caches.refusedKeys.get(hash) ?? 0)
}

/** Simultaneous lookups share one query. `share` puts the result in Redis. @returns null if it grants no access */
export function queryCredential(
  ctx: Context,
  credential: Credential,
  { share }: { share: boolean },
): Promise<CachedAuth | null> {
  return ctx.caches.queries.share(credential.hash, () => query(ctx, credential, share), ctx.defer)
}

async function query(ctx: Context, { hash, find }: Credential, share: boolean): Promise<CachedAuth | null> {
  const checkedAt = Date.now()
  const row = (await find(ctx, [hash])).get(hash)
  if (!row) {
    ctx.caches.auths.delete(hash)
    ctx.caches.refusedKeys.set(hash, Date.now() + REFUSED_FOR_MS)
    return null
  }
  const cached = { ...row, checkedAt }
  ctx.caches.auths.set(hash, cached)
  if (share) ctx.defer(shareAuth(ctx, hash, cached))
  return cached
}

/** Above the limit for guesses, lookups skip Redis and share queries: at most four a second per isolate and kind. */
export function asBatched(kind: BatchedKind, { find, ...credential }: Credential): Credential {
  const findTogether: Credential['find'] = async (ctx, [hash]) => {
    const { batches, waiting } = ctx.caches
    const retryUntil = Date.now() + RETRY_WITHIN_MS
    for (;;) {
      waiting[kind].add(hash!)
      const lead = () => batches.lead(kind, () => findWaiting(ctx, waiting[kind], find), ctx.defer)
      // Undefined if it takes too long. An earlier batch does not include this hash.
      const batch = await (batches.pending(kind) ?? lead())
      if (batch?.asked.has(hash!)) return batch.found
      if (Date.now() > retryUntil) await batch?.found
    }
  }
  return { ...credential, find: findTogether, isBatched: true }
}

async function findWaiting(ctx: Context, waiting: Set<string>, find: Credential['find']) {
  await new Promise((resolve) => setTimeout(resolve, BETWEEN_QUERIES_MS))
  const hashes = [...waiting].slice(0, MAX_BATCH)
  for (const hash of hashes) waiting.delete(hash)
  const found = find(ctx, hashes)
  // A failure concerns this batch only, not lookups that wait for the next one.
  await found.catch(() => {})
  return { asked: new Set(hashes), found }
}

/** Null if missing, expired or not ours. With `siteId`, it has Redis's content version. @throws Error if Redis is unreachable */
export async function findSharedAuth(
  ctx: Context,
  { hash, siteId }: { hash: string; siteId: string | null },
): Promise<CachedAuth | null> {
  const names = siteId === null ? [] : [versionKey(ctx, siteId)]
  const [encrypted, versions] = await ctx.redis.mget<(string | null)[]>(redisKey(ctx, hash), ...names)
  if (!encrypted) return null
  const text = await decrypt(ctx.config, purposeOf(hash), encrypted).catch(() => null)
  const cached = text === null ? null : (JSON.parse(text) as CachedAuth)
  if (!cached || isExpired(cached)) return null
  const { site } = cached.auth
  const current = site.id === siteId ? currentVersions(versions) : null
  if (current?.authVersion === site.authVersion && current.contentVersion > site.contentVersion) {
    Object.assign(site, current)
  }
  ctx.caches.auths.set(hash, cached)
  return cached
}

/** Expired entries need a new lookup, even if Redis confirms the versions. */
function isExpired({ checkedAt, expiresAt }: CachedAuth): boolean {
  return Date.now() >= Math.min(checkedAt + AUTH_TTL_MS, expiresAt ?? Number.POSITIVE_INFINITY)
}

/** If Redis is unreachable, other isolates ask Postgres. */
async function shareAuth(ctx: Context, keyHash: string, cached: CachedAuth): Promise<void> {
  await shareAuths(ctx, [{ ...cached, keyHash }]).catch(() => {})
}

/** @throws Error if Redis is unreachable */
export async function shareAuths(ctx: Context, auths: (CachedAuth & { keyHash: string })[]): Promise<void> {
  const sharing = ctx.redis.pipeline()
  for (const { keyHash, ...cached } of auths) {
    const encrypted = await encrypt(ctx.config, purposeOf(keyHash), JSON.stringify(cached))
    sharing.set(redisKey(ctx, keyHash), encrypted, { ex: AUTH_TTL_MS / 1_000 })
  }
  await sharing.exec()
}

/** Removes revoked keys, so that they cost no more than unknown ones. If Redis is unreachable, they cost one more call. */
export async function deleteSharedAuths(ctx: Context, keyHashes: string[]): Promise<void> {
  await ctx.redis.del(...keyHashes.map((hash) => redisKey(ctx, hash))).catch(() => {})
}

function redisKey(ctx: Context, keyHash: string): string {
  return `${ctx.config.REDIS_PREFIX}:auth:${keyHash}`
}

/** Includes the columns, so that versions of the service with other columns cannot read the entry. */
function purposeOf(keyHash: string): string {
  return `auth:${Object.keys(siteScope)}:${keyHash}`
}
