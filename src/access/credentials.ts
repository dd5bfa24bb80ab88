import type { AuthRow, CachedAuth } from '../caches.ts'
import type { Context } from '../context.ts'
import type { ErrorCode } from '../core/errors.ts'
import { isExpired, shareAuth } from './shared-auths.ts'

const REFUSED_FOR_MS = 10_000

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
export function findOwnAuth(ctx: Context, { hash }: Credential): CachedAuth | null {
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

export function isLookedUp(ctx: Context, { hash }: Credential): boolean {
  return Date.now() < (ctx.caches.auths.get(hash)?.checkedAt ?? 0) + REFUSED_FOR_MS
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
