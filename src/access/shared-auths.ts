/**
 * What Postgres said of keys, kept in Redis, so that an isolate that has never seen a key need not ask Postgres. It holds
 * like what an isolate has cached: for 65 minutes, and only while Redis has the same versions of the site. It is encrypted for
 * its key, so that whoever can write to Redis cannot make up access, nor bring back any that is older than that.
 */

import type { CachedAuth } from '../caches.ts'
import type { Context } from '../context.ts'
import { decrypt, encrypt } from '../crypto/encryption.ts'
import { siteScope } from '../db/site-scope.ts'
import { AUTH_TTL_MS, versionKey } from '../freshness/site-versions.ts'
import { currentVersions } from '../freshness/versions.ts'

/**
 * Null when Redis has nothing of the key that is current, or what was not written by this service. If the key is that of
 * `siteId`, it comes with the content version that Redis has by now.
 *
 * @throws Error when Redis cannot be reached in time
 */
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

/** Whether Postgres has to be asked again, whatever Redis says. */
export function isExpired({ checkedAt, expiresAt }: CachedAuth): boolean {
  return Date.now() >= Math.min(checkedAt + AUTH_TTL_MS, expiresAt ?? Number.POSITIVE_INFINITY)
}

/** Tells the other isolates. If Redis cannot be reached in time, they ask Postgres. */
export async function shareAuth(ctx: Context, keyHash: string, cached: CachedAuth): Promise<void> {
  await shareAuths(ctx, [{ ...cached, keyHash }]).catch(() => {})
}

/** @throws Error when Redis cannot be reached in time */
export async function shareAuths(ctx: Context, auths: (CachedAuth & { keyHash: string })[]): Promise<void> {
  const sharing = ctx.redis.pipeline()
  for (const { keyHash, ...cached } of auths) {
    const encrypted = await encrypt(ctx.config, purposeOf(keyHash), JSON.stringify(cached))
    sharing.set(redisKey(ctx, keyHash), encrypted, { ex: AUTH_TTL_MS / 1_000 })
  }
  await sharing.exec()
}

/** Revoked keys then cost what unknown ones do. If Redis cannot be reached in time, they cost a call more. */
export async function unshareAuths(ctx: Context, keyHashes: string[]): Promise<void> {
  await ctx.redis.del(...keyHashes.map((hash) => redisKey(ctx, hash))).catch(() => {})
}

function redisKey(ctx: Context, keyHash: string): string {
  return `${ctx.config.REDIS_PREFIX}:auth:${keyHash}`
}

/** With the columns: a version of the service that knows others cannot read it. */
function purposeOf(keyHash: string): string {
  return `auth:${Object.keys(siteScope)}:${keyHash}`
}
