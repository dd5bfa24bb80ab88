/** Admits a request: one call to Redis counts it and checks that the cached key is current. */

import type { ApiKeyAuth, CachedAuth, ConfirmedAuth, FoundAuth } from '../caches.ts'
import type { Context } from '../context.ts'
import { AppError } from '../core/errors.ts'
import { formatVersions, type Versions } from '../freshness/versions.ts'
import { type Credential, findOwnAuth, isLookedUp, isRefused, queryCredential } from './credentials.ts'
import { countAlone, countRequest, knownToBeUsedUp, noteOutage, type Quota, type QuotaMode } from './quota.ts'
import { findSharedAuth } from './shared-auths.ts'

const found = Symbol('found')

/**
 * A key, or another credential, and what a route may know of it before it is admitted. The site itself is for admission:
 * what was looked up may be cached, and no longer true.
 */
export type PresentedKey = Pick<ApiKeyAuth, 'keyId' | 'access' | 'postId'> & {
  credential: Credential
  siteId: string
  [found]: FoundAuth
}

/** How a request counts at the versions of a site that were known, and whether that depends on the version of the content. */
export type Plan = { mode: QuotaMode; dependsOnContent: boolean }

/** `quota` is null for `skip`, and when Redis cannot be reached in time and this isolate knows of some that is left. */
export type Admission<P extends Plan> = { auth: ConfirmedAuth; quota: Quota | null; plan: P }

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
  const auth = await queryCredential(ctx, credential, { share: redis })
  return auth && { unconfirmed: auth, cached: null, redis }
}

/** What the key opens, for a request that is not counted. @throws as `admitRequest` */
export async function confirmKey(ctx: Context, presented: PresentedKey): Promise<ConfirmedAuth> {
  const { cached, unconfirmed } = presented[found]
  if (!cached) return asConfirmed(unconfirmed)
  return (await admitRequest(ctx, presented, () => ({ mode: 'skip', dependsOnContent: false }))).auth
}

/**
 * Confirms the key and counts the request, in one call to Redis if what was cached is current. Otherwise nothing is counted
 * until it is known what to count.
 *
 * @throws AppError the credential's refusal when it has stopped opening the site
 */
export async function admitRequest<P extends Plan>(
  ctx: Context,
  presented: PresentedKey,
  planAt: (versions: Versions) => P | Promise<P>,
): Promise<Admission<P>> {
  const { unconfirmed: before, cached, redis } = presented[found]
  const plan = await planAt(before.site)
  if (!redis) return { auth: asConfirmed(before), quota: countAlone(ctx, before, plan.mode), plan }
  const first = await countRequest(ctx, before, plan.mode, cached ? beginning(before.site, plan) : '')
  // A request that this isolate refuses from memory costs no query when it is repeated.
  if (!first.reached && plan.mode !== 'skip' && isLookedUp(ctx, presented.credential)) {
    const quota = knownToBeUsedUp(ctx, before)
    if (quota) return { auth: asConfirmed(before), quota, plan }
  }
  const auth = await revalidate(ctx, presented, first.versions)
  const opensTheSame =
    auth?.access === before.access && auth.site.id === before.site.id && auth.postId === before.postId
  if (!opensTheSame) throw new AppError(presented.credential.refusal)
  const isSame = auth.site.contentVersion === before.site.contentVersion
  const current = isSame ? plan : await planAt(auth.site)
  const isCounted = first.isCurrent || !first.reached
  const counted = isCounted ? first : await countRequest(ctx, auth, current.mode)
  const quota = counted.reached ? counted.quota : countAlone(ctx, auth, current.mode)
  return { auth, quota, plan: current }
}

/** How the versions in Redis begin if the plan still holds. */
function beginning(versions: Versions, { dependsOnContent }: Plan): string {
  return dependsOnContent ? formatVersions(versions) : `${versions.authVersion}/`
}

async function revalidate(
  ctx: Context,
  { credential, [found]: { unconfirmed, cached } }: PresentedKey,
  versions: Versions | null,
): Promise<ConfirmedAuth | null> {
  const ask = async (share: boolean) => {
    const auth = await queryCredential(ctx, credential, { share })
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
