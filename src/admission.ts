/** Whether a request is let in. One call to Redis counts it and tells whether what is cached of its key is current. */
import type { ApiKeyAuth, CachedAuth } from './caches.ts'
import type { Context } from './context.ts'
import { AppError } from './errors.ts'
import { authenticateKey, cachedKeyAuth } from './keys.ts'
import { countRequest, limitOf, type Quota, type QuotaMode, refund } from './quota.ts'
import type { Versions } from './site-versions.ts'

/** A key and what it opens. `cached` is null when Postgres has just said so; otherwise `admit` has yet to confirm it. */
export type PresentedKey = { key: string; auth: ApiKeyAuth; cached: CachedAuth | null }

/** `quota` is null for `skip`, and when Redis cannot be reached in time. */
export type Admission = { auth: ApiKeyAuth; quota: Quota | null }

/** What a key opens: from this isolate's cache, or from Postgres. Null when it opens nothing. */
export async function lookUpKey(ctx: Context, key: string): Promise<PresentedKey | null> {
  const cached = await cachedKeyAuth(ctx, key)
  if (cached) return { key, auth: cached.auth, cached }
  const auth = await authenticateKey(ctx, key)
  return auth && { key, auth, cached: null }
}

/**
 * Counts the request and confirms its key. `auth` is the same object as before when nothing of the site has changed.
 *
 * @throws AppError api_key_refused when the key has stopped opening the site
 */
export async function admit(ctx: Context, presented: PresentedKey, mode: QuotaMode): Promise<Admission> {
  const before = presented.auth
  const { quota, versions } = await countRequest(ctx, before, mode)
  const auth = await revalidate(ctx, presented, versions)
  const opensTheSame = auth?.access === before.access && auth.site.id === before.site.id
  // Without a quota nothing was counted, and with Redis out of reach nothing would be.
  if (opensTheSame && (!quota || limitOf(auth) === limitOf(before))) return { auth, quota }
  if (mode === 'consume' && quota && !quota.exceeded) await refund(ctx, before, quota)
  if (!opensTheSame) throw new AppError('api_key_refused')
  return { auth, quota: (await countRequest(ctx, auth, mode)).quota }
}

async function revalidate(
  ctx: Context,
  { key, auth, cached }: PresentedKey,
  versions: Versions | null,
): Promise<ApiKeyAuth | null> {
  if (!cached) return auth
  const { site } = auth
  if (versions?.authVersion !== site.authVersion || versions.contentVersion < site.contentVersion) {
    return authenticateKey(ctx, key)
  }
  if (versions.contentVersion === site.contentVersion) return auth
  cached.auth = { ...auth, site: { ...site, ...versions } }
  return cached.auth
}
