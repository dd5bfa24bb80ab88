/**
 * What Postgres said of keys, kept in Redis, so that an isolate that has never seen a key need not ask Postgres. It holds
 * like what an isolate has cached: for an hour, and only while Redis has the same versions of the site. It is encrypted for
 * its key, so that whoever can write to Redis cannot make up access, nor bring back any that is older than that.
 */
import type { CachedAuth } from './caches.ts'
import type { Context } from './context.ts'
import { siteScope } from './db/site-scope.ts'
import { decrypt, encrypt } from './encryption.ts'
import { AUTH_TTL_MS } from './site-versions.ts'

/** A revoked key opens nothing ever again. */
const REVOKED_TTL_S = 30 * 86_400
const REFUSED_FOR_MS = 10_000

/** Of a key that is revoked or expired, which never opens anything again. */
export const REFUSED = 'refused'

/**
 * Null when Redis has nothing of the key, or what was not written by this service.
 *
 * @throws Error when Redis cannot be reached in time
 */
export async function findSharedAuth(
  ctx: Context,
  keyHash: string,
): Promise<CachedAuth | typeof REFUSED | null> {
  const encrypted = await ctx.redis.get<string>(redisKey(ctx, keyHash))
  if (encrypted === null) return null
  const text = await decrypt(ctx.config, purposeOf(keyHash), encrypted).catch(() => null)
  if (text === null) return null
  const cached = JSON.parse(text) as CachedAuth | null
  if (cached && isStale(cached)) return null
  if (!cached || isExpired(cached)) return refuse(ctx, keyHash)
  ctx.caches.auths.set(keyHash, cached)
  return cached
}

/** Remembers for 10 s that the key opens nothing. Not for longer, since one may be inserted by SQL. */
export function refuse(ctx: Context, keyHash: string): typeof REFUSED {
  ctx.caches.auths.delete(keyHash)
  ctx.caches.refusedKeys.set(keyHash, Date.now() + REFUSED_FOR_MS)
  return REFUSED
}

/** Whether Postgres has to be asked again, whatever Redis says. */
export function isStale({ checkedAt }: CachedAuth): boolean {
  return Date.now() >= checkedAt + AUTH_TTL_MS
}

export function isExpired({ expiresAt }: CachedAuth): boolean {
  return expiresAt !== null && expiresAt <= Date.now()
}

/** Null for a key that has been revoked. */
export async function shareAuth(ctx: Context, keyHash: string, cached: CachedAuth | null): Promise<void> {
  const encrypted = await encrypt(ctx.config, purposeOf(keyHash), JSON.stringify(cached))
  const ex = cached ? AUTH_TTL_MS / 1_000 : REVOKED_TTL_S
  await ctx.redis.set(redisKey(ctx, keyHash), encrypted, { ex })
}

function redisKey(ctx: Context, keyHash: string): string {
  return `${ctx.config.REDIS_PREFIX}:auth:${keyHash}`
}

/** With the columns: a version of the service that knows others cannot read it. */
function purposeOf(keyHash: string): string {
  return `auth:${Object.keys(siteScope)}:${keyHash}`
}
