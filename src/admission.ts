/** Whether a request is let in. One call to Redis counts it and tells whether what is cached of its key is current. */
import type { ApiKeyAuth, CachedAuth } from './caches.ts'
import type { Context } from './context.ts'
import { AppError } from './errors.ts'
import { authenticateKey, cachedKeyAuth } from './keys.ts'
import { countRequest, limitOf, type Quota, type QuotaMode, refundRequest } from './quota.ts'
import type { Versions } from './site-versions.ts'

/** A key and what it opens. If it is `cached`, only `admitRequest` can tell whether it is current. */
export type PresentedKey = { key: string; unconfirmed: ApiKeyAuth; cached: CachedAuth | null }

/** `quota` is null for `skip`, and when Redis cannot be reached in time. */
export type Admission = { auth: ApiKeyAuth; quota: Quota | null }

/** What a key opens: from this isolate's cache, or from Postgres. Null when it opens nothing. */
export async function lookUpKey(ctx: Context, key: string): Promise<PresentedKey | null> {
  const cached = await cachedKeyAuth(ctx, key)
  if (cached) return { key, unconfirmed: cached.auth, cached }
  const auth = await authenticateKey(ctx, key)
  return auth && { key, unconfirmed: auth, cached: null }
}

/**
 * Counts the request and confirms its key. `auth` is the same object as before when nothing of the site has changed.
 *
 * @throws AppError api_key_refused when the key has stopped opening the site
 */
export async function admitRequest(
  ctx: Context,
  presented: PresentedKey,
  mode: QuotaMode,
): Promise<Admission> {
  const before = presented.unconfirmed
  const { quota, versions } = await countRequest(ctx, before, mode)
  const auth = await revalidate(ctx, presented, versions)
  const opensTheSame = auth?.access === before.access && auth.site.id === before.site.id
  // Without a quota nothing was counted, and with Redis out of reach nothing would be.
  if (opensTheSame && (!quota || limitOf(auth) === limitOf(before))) return { auth, quota }
  if (mode === 'consume' && quota && !quota.exceeded) await refundRequest(ctx, before, quota)
  if (!opensTheSame) throw new AppError('api_key_refused')
  return { auth, quota: (await countRequest(ctx, auth, mode)).quota }
}

async function revalidate(
  ctx: Context,
  { key, unconfirmed, cached }: PresentedKey,
  versions: Versions | null,
): Promise<ApiKeyAuth | null> {
  if (!cached) return unconfirmed
  const { site } = unconfirmed
  if (versions?.authVersion !== site.authVersion || versions.contentVersion < site.contentVersion) {
    return authenticateKey(ctx, key)
  }
  if (versions.contentVersion === site.contentVersion) return unconfirmed
  cached.auth = { ...unconfirmed, site: { ...site, ...versions } }
  return cached.auth
}
