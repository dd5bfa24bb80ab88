/** Key lookups for all isolates. Encrypted, so that write access to Redis cannot forge access or restore expired access. */

import type { CachedAuth } from '../caches.ts'
import type { Context } from '../context.ts'
import { decrypt, encrypt } from '../crypto/encryption.ts'
import { siteScope } from '../db/site-scope.ts'
import { AUTH_TTL_MS, versionKey } from '../freshness/site-versions.ts'
import { currentVersions } from '../freshness/versions.ts'

/** Null if missing, expired or not ours. With `siteId`, it has Redis's content version. @throws Error without Redis */
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
export function isExpired({ checkedAt, expiresAt }: CachedAuth): boolean {
  return Date.now() >= Math.min(checkedAt + AUTH_TTL_MS, expiresAt ?? Number.POSITIVE_INFINITY)
}

/** Without Redis, other isolates ask Postgres. */
export async function shareAuth(ctx: Context, keyHash: string, cached: CachedAuth): Promise<void> {
  await shareAuths(ctx, [{ ...cached, keyHash }]).catch(() => {})
}

/** @throws Error without Redis */
export async function shareAuths(ctx: Context, auths: (CachedAuth & { keyHash: string })[]): Promise<void> {
  const sharing = ctx.redis.pipeline()
  for (const { keyHash, ...cached } of auths) {
    const encrypted = await encrypt(ctx.config, purposeOf(keyHash), JSON.stringify(cached))
    sharing.set(redisKey(ctx, keyHash), encrypted, { ex: AUTH_TTL_MS / 1_000 })
  }
  await sharing.exec()
}

/** So that revoked keys cost no more than unknown ones. Without Redis, they cost one call more. */
export async function unshareAuths(ctx: Context, keyHashes: string[]): Promise<void> {
  await ctx.redis.del(...keyHashes.map((hash) => redisKey(ctx, hash))).catch(() => {})
}

function redisKey(ctx: Context, keyHash: string): string {
  return `${ctx.config.REDIS_PREFIX}:auth:${keyHash}`
}

/** Includes the columns, so that versions of the service with other columns cannot read the entry. */
function purposeOf(keyHash: string): string {
  return `auth:${Object.keys(siteScope)}:${keyHash}`
}
