/** What a request presents to be let in, and what that opened when it was last looked up. */

import type { AuthRow, CachedAuth } from '../caches.ts'
import type { Context } from '../context.ts'
import type { ErrorCode } from '../core/errors.ts'
import { isExpired, shareAuth } from './shared-auths.ts'

const REFUSED_FOR_MS = 10_000

/** A key, the id of a published sitemap, or the token of a link to a draft. */
export type Credential = {
  /** Its SHA-256 in hex, under which it is cached. */
  hash: string
  /** The site that the request is about, if it names one. */
  siteId: string | null
  /** Finds by hash, in one query, the ones of its kind that open something. */
  find: (ctx: Context, hashes: string[]) => Promise<Map<string, AuthRow>>
  /** `find` shares its queries, so that Redis is not asked first. */
  isBatched?: true
  /** The answer when it opens nothing. */
  refusal: ErrorCode
}

/**
 * What a credential opened when this isolate last looked it up, 65 minutes ago at most. It is current only if Redis has the
 * same versions of the site; see `admitRequest`.
 */
export function findOwnAuth(ctx: Context, { hash }: Credential): CachedAuth | null {
  const cached = ctx.caches.auths.get(hash)
  return cached && !isExpired(cached) ? cached : null
}

/** Whether it has opened nothing in the last 10 s. A refused one never becomes valid, but one may be inserted by SQL. */
export function isRefused(ctx: Context, { hash }: Credential): boolean {
  return Date.now() < (ctx.caches.refusedKeys.get(hash) ?? 0)
}

/**
 * Asks Postgres what a credential opens, and tells the other isolates if Redis can be reached. One that opens nothing is
 * not looked up again for 10 s. However many requests ask at once, there is one query at a time.
 *
 * @returns null when it opens nothing
 */
export function queryCredential(
  ctx: Context,
  credential: Credential,
  { share }: { share: boolean },
): Promise<CachedAuth | null> {
  return ctx.caches.queries.share(credential.hash, () => query(ctx, credential, share), ctx.defer)
}

/** Whether Postgres has said within the last 10 s what it opens. */
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
