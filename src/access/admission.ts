/** Whether a request is let in. One call to Redis counts it and tells whether what is cached of its key is current. */

import type { Context } from '../foundation/context.ts'
import { AppError } from '../foundation/errors.ts'
import type { ApiKeyAuth, CachedAuth, FoundAuth } from '../freshness/caches.ts'
import type { Versions } from '../freshness/site-versions.ts'
import {
  authenticate,
  type Credential,
  findCachedAuth,
  findOwnAuth,
  isLookedUp,
  isRefused,
} from './credentials.ts'
import {
  countAlone,
  countRequest,
  limitOf,
  noteOutage,
  type Quota,
  type QuotaMode,
  refundRequest,
} from './quota.ts'
import { findSharedAuth } from './shared-auths.ts'

/**
 * A key, or another credential, and what it opens. If that is `cached`, only `admitRequest` can tell whether it is
 * current. Without `redis`, which has just failed, it is not.
 */
export type PresentedKey = FoundAuth & { credential: Credential }

/** `quota` is null for `skip`, and when Redis cannot be reached in time and this isolate knows of some that is left. */
export type Admission = { auth: ApiKeyAuth; quota: Quota | null }

/**
 * What it opens: from this isolate's cache, from Redis, or from Postgres. Null when it opens nothing. Of a burst with a key
 * that this isolate does not know, one request asks and the others wait for it.
 */
export async function lookUp(ctx: Context, credential: Credential | null): Promise<PresentedKey | null> {
  if (!credential || isRefused(ctx, credential)) return null
  const cached = findOwnAuth(ctx, credential)
  if (cached) return { credential, unconfirmed: cached.auth, cached, redis: true }
  const { lookups } = ctx.caches
  const found = await lookups.share(credential.hash, () => findAuth(ctx, credential), ctx.defer)
  return found && { ...found, credential }
}

async function findAuth(ctx: Context, credential: Credential): Promise<FoundAuth | null> {
  if (isRefused(ctx, credential)) return null
  let redis = true
  const cached = await findCachedAuth(ctx, credential).catch((error) => {
    noteOutage(ctx, error)
    redis = false
    return null
  })
  if (cached) return { unconfirmed: cached.auth, cached, redis }
  const auth = await authenticate(ctx, credential, { share: redis })
  return auth && { unconfirmed: auth, cached: null, redis }
}

/**
 * Counts the request and confirms its key. `auth` is the same object as before when nothing of the site has changed.
 *
 * @throws AppError the credential's refusal when it has stopped opening the site
 */
export async function admitRequest(
  ctx: Context,
  presented: PresentedKey,
  mode: QuotaMode,
): Promise<Admission> {
  const before = presented.unconfirmed
  if (!presented.redis) return { auth: before, quota: countAlone(ctx, before, mode) }
  const { quota, versions, reached } = await countRequest(ctx, before, mode)
  // Whoever repeats a request that only this isolate's memory refuses costs no query.
  if (!reached && quota?.exceeded && isLookedUp(ctx, presented.credential)) return { auth: before, quota }
  const auth = await revalidate(ctx, presented, versions)
  const opensTheSame = auth?.access === before.access && auth.site.id === before.site.id
  // Without a quota nothing was counted, and with Redis out of reach there is no other.
  if (opensTheSame && (!quota || limitOf(auth) === limitOf(before))) return { auth, quota }
  if (mode === 'consume' && quota && !quota.exceeded) await refundRequest(ctx, before, quota)
  if (!opensTheSame) throw new AppError(presented.credential.refusal)
  return { auth, quota: reached ? (await countRequest(ctx, auth, mode)).quota : countAlone(ctx, auth, mode) }
}

async function revalidate(
  ctx: Context,
  { credential, unconfirmed, cached }: PresentedKey,
  versions: Versions | null,
): Promise<ApiKeyAuth | null> {
  if (!cached) return unconfirmed
  if (!versions) return authenticate(ctx, credential, { share: false })
  const confirmed = confirm(cached, versions)
  if (confirmed) return confirmed
  // Another isolate may have looked the key up since.
  const shared = await findSharedAuth(ctx, credential.hash, credential.siteId).catch(() => null)
  return (shared && confirm(shared, versions)) ?? authenticate(ctx, credential, { share: true })
}

/** What was cached, with the content version that is current. Null when the site's keys or settings have changed since. */
function confirm(cached: CachedAuth, { authVersion, contentVersion }: Versions): ApiKeyAuth | null {
  const { auth } = cached
  if (authVersion !== auth.site.authVersion || contentVersion < auth.site.contentVersion) return null
  if (contentVersion > auth.site.contentVersion) {
    cached.auth = { ...auth, site: { ...auth.site, contentVersion } }
  }
  return cached.auth
}
