/** Admits a request: one call to Redis counts it and checks that the cached key is current. */

import type { ApiKeyAuth, CachedAuth, ConfirmedAuth, FoundAuth } from '../caches.ts'
import type { Context } from '../context.ts'
import { AppError } from '../core/errors.ts'
import type { Versions } from '../freshness/versions.ts'
import { authenticate, type Credential, findOwnAuth, isLookedUp, isRefused } from './credentials.ts'
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

const found = Symbol('found')

/**
 * A key, or another credential, and what a route may know of it before it is admitted. The site itself is for admission:
 * what was looked up may be cached, and no longer true.
 */
export type PresentedKey = Pick<ApiKeyAuth, 'keyId' | 'access' | 'postId'> & {
  credential: Credential
  siteId: string
  versions: Versions
  [found]: FoundAuth
}

/** `quota` is null for `skip`, and when Redis cannot be reached in time and this isolate knows of some that is left. */
export type Admission = { auth: ConfirmedAuth; quota: Quota | null }

/**
 * What it opens: from this isolate's cache, from Redis, or from Postgres. Null when it opens nothing. Of a burst with a key
 * that this isolate does not know, one request asks and the others wait for it.
 */
export async function lookUp(ctx: Context, credential: Credential | null): Promise<PresentedKey | null> {
  if (!credential || isRefused(ctx, credential)) return null
  const cached = findOwnAuth(ctx, credential)
  if (cached) return present(credential, { unconfirmed: cached.auth, cached, redis: true })
  const { lookups } = ctx.caches
  const looked = await lookups.share(credential.hash, () => findAuth(ctx, credential), ctx.defer)
  return looked && present(credential, looked)
}

function present(credential: Credential, looked: FoundAuth): PresentedKey {
  const { site, ...opened } = looked.unconfirmed
  return {
    ...opened,
    credential,
    siteId: site.id,
    versions: site,
    [found]: looked,
  }
}

async function findAuth(ctx: Context, credential: Credential): Promise<FoundAuth | null> {
  if (isRefused(ctx, credential)) return null
  let redis = true
  const outOfReach = (error: unknown) => {
    noteOutage(ctx, error)
    redis = false
    return null
  }
  const askRedis = () => findSharedAuth(ctx, credential).catch(outOfReach)
  const cached = findOwnAuth(ctx, credential) ?? (credential.isBatched ? null : await askRedis())
  if (cached) return { unconfirmed: cached.auth, cached, redis }
  const auth = await authenticate(ctx, credential, { share: redis })
  return auth && { unconfirmed: auth, cached: null, redis }
}

/** What the key opens, for a request that is not counted. @throws as `admitRequest` */
export async function confirmKey(ctx: Context, presented: PresentedKey): Promise<ConfirmedAuth> {
  const { cached, unconfirmed } = presented[found]
  return cached ? (await admitRequest(ctx, presented, 'skip')).auth : asConfirmed(unconfirmed)
}

/**
 * Counts the request and confirms its key.
 *
 * @throws AppError the credential's refusal when it has stopped opening the site
 */
export async function admitRequest(
  ctx: Context,
  presented: PresentedKey,
  mode: QuotaMode,
): Promise<Admission> {
  const { unconfirmed: before, redis } = presented[found]
  if (!redis) return { auth: asConfirmed(before), quota: countAlone(ctx, before, mode) }
  const { quota, versions, reached } = await countRequest(ctx, before, mode)
  // A request that this isolate refuses from memory costs no query when it is repeated.
  if (!reached && quota?.exceeded && isLookedUp(ctx, presented.credential)) {
    return { auth: asConfirmed(before), quota }
  }
  const auth = await revalidate(ctx, presented, versions)
  const opensTheSame =
    auth?.access === before.access && auth.site.id === before.site.id && auth.postId === before.postId
  // Without a quota nothing was counted, and with Redis out of reach there is no other.
  if (opensTheSame && (!quota || limitOf(auth) === limitOf(before))) return { auth, quota }
  if (mode === 'consume' && quota && !quota.exceeded) await refundRequest(ctx, before, quota)
  if (!opensTheSame) throw new AppError(presented.credential.refusal)
  return { auth, quota: reached ? (await countRequest(ctx, auth, mode)).quota : countAlone(ctx, auth, mode) }
}

async function revalidate(
  ctx: Context,
  { credential, [found]: { unconfirmed, cached } }: PresentedKey,
  versions: Versions | null,
): Promise<ConfirmedAuth | null> {
  const ask = async (share: boolean) => {
    const auth = await authenticate(ctx, credential, { share })
    return auth && asConfirmed(auth)
  }
  if (!cached) return asConfirmed(unconfirmed)
  if (!versions) return ask(false)
  const confirmed = confirm(cached, versions)
  if (confirmed) return confirmed
  // Another isolate may have looked the key up since.
  const shared = await findSharedAuth(ctx, credential).catch(() => null)
  return (shared && confirm(shared, versions)) ?? ask(true)
}

/** What was cached, with the versions of the content that are current. Null when the site's keys or settings have changed since. */
function confirm(cached: CachedAuth, versions: Versions): ConfirmedAuth | null {
  const { auth } = cached
  const { authVersion, contentVersion } = versions
  if (authVersion !== auth.site.authVersion || contentVersion < auth.site.contentVersion) return null
  if (contentVersion > auth.site.contentVersion) {
    cached.auth = { ...auth, site: { ...auth.site, ...versions } }
  }
  return asConfirmed(cached.auth)
}

const asConfirmed = (auth: ApiKeyAuth) => auth as ConfirmedAuth
