/** Admits a request: one Redis call counts it and checks that the cached key is current. */

import type { ApiKeyAuth, CachedAuth, ConfirmedAuth, LookedUp } from '../caches.ts'
import type { Context } from '../context.ts'
import { AppError } from '../core/errors.ts'
import type { Versions } from '../freshness/versions.ts'
import { type Credential, findOwnAuth, isLookedUp, isRefused, queryCredential } from './credentials.ts'
import {
  countLocally,
  countRequest,
  findExhaustedQuota,
  noteOutage,
  type Quota,
  type QuotaMode,
} from './quota.ts'
import { findSharedAuth } from './shared-auths.ts'

const lookedUp = Symbol('lookedUp')

/** Only admission may use its site, which may be stale. */
export type PresentedKey = Pick<ApiKeyAuth, 'keyId' | 'access' | 'postId'> & {
  credential: Credential
  siteId: string
  [lookedUp]: LookedUp
}

export type Counting = { mode: QuotaMode; dependsOnContent: boolean }

/** `quota` is null for `skip`, and without Redis while this isolate's estimate has quota left. */
export type Admission<Decided extends Counting> = {
  auth: ConfirmedAuth
  quota: Quota | null
  counting: Decided
}

/** Null if the credential grants no access. Simultaneous requests share one lookup. */
export async function lookUp(ctx: Context, credential: Credential | null): Promise<PresentedKey | null> {
  if (!credential || isRefused(ctx, credential)) return null
  const own = findOwnAuth(ctx, credential)
  if (own) return present(credential, { cached: own, isFresh: false, redis: true })
  const { lookups } = ctx.caches
  const found = await lookups.share(credential.hash, () => findAuth(ctx, credential), ctx.defer)
  return found && present(credential, found)
}

function present(credential: Credential, found: LookedUp): PresentedKey {
  const { site, ...opened } = found.cached.auth
  return { ...opened, credential, siteId: site.id, [lookedUp]: found }
}

async function findAuth(ctx: Context, credential: Credential): Promise<LookedUp | null> {
  if (isRefused(ctx, credential)) return null
  let redis = true
  const findShared = () =>
    findSharedAuth(ctx, credential).catch((error) => {
      noteOutage(ctx, error)
      redis = false
      return null
    })
  const cached = findOwnAuth(ctx, credential) ?? (credential.isBatched ? null : await findShared())
  if (cached) return { cached, isFresh: false, redis }
  const queried = await queryCredential(ctx, credential, { share: redis })
  return queried && { cached: queried, isFresh: true, redis }
}

/** Doesn't count the request. @throws as `admitRequest` */
export async function confirmKey(ctx: Context, presented: PresentedKey): Promise<ConfirmedAuth> {
  const { cached, isFresh } = presented[lookedUp]
  if (isFresh) return asConfirmed(cached.auth)
  return (await admitRequest(ctx, presented, () => ({ mode: 'skip', dependsOnContent: false }))).auth
}

/** If the cached key is stale, the script counts nothing: we look the key up and count in a second call. @throws AppError the credential's refusal */
export async function admitRequest<Decided extends Counting>(
  ctx: Context,
  presented: PresentedKey,
  decide: (versions: Versions) => Decided | Promise<Decided>,
): Promise<Admission<Decided>> {
  const { cached, isFresh, redis } = presented[lookedUp]
  const before = cached.auth
  const expected = await decide(before.site)
  if (!redis) {
    return { auth: asConfirmed(before), quota: countLocally(ctx, before, expected.mode), counting: expected }
  }
  const prefix = isFresh ? '' : expectedPrefix(before.site, expected)
  const first = await countRequest(ctx, before, expected.mode, prefix)
  // Refuses from memory, without a query, for clients that keep retrying over quota.
  if (!first.reached && expected.mode !== 'skip' && isLookedUp(ctx, presented.credential)) {
    const quota = findExhaustedQuota(ctx, before)
    if (quota) return { auth: asConfirmed(before), quota, counting: expected }
  }
  const auth = await revalidate(ctx, presented, first.versions)
  const hasSameAccess =
    auth?.access === before.access && auth.site.id === before.site.id && auth.postId === before.postId
  if (!hasSameAccess) throw new AppError(presented.credential.refusal)
  const isSame = auth.site.contentVersion === before.site.contentVersion
  const counting = isSame ? expected : await decide(auth.site)
  const isCounted = first.isCurrent || !first.reached
  const counted = isCounted ? first : await countRequest(ctx, auth, counting.mode)
  const quota = counted.reached ? counted.quota : countLocally(ctx, auth, counting.mode)
  return { auth, quota, counting }
}

function expectedPrefix({ authVersion, contentVersion }: Versions, { dependsOnContent }: Counting): string {
  return dependsOnContent ? `${authVersion}/${contentVersion}/` : `${authVersion}/`
}

async function revalidate(
  ctx: Context,
  { credential, [lookedUp]: { cached, isFresh } }: PresentedKey,
  versions: Versions | null,
): Promise<ConfirmedAuth | null> {
  const ask = async (share: boolean) => {
    const queried = await queryCredential(ctx, credential, { share })
    return queried && asConfirmed(queried.auth)
  }
  if (isFresh) return asConfirmed(cached.auth)
  if (!versions) return ask(false)
  const confirmed = confirm(cached, versions)
  if (confirmed) return confirmed
  // Another isolate may have refreshed the key.
  const shared = await findSharedAuth(ctx, credential).catch(() => null)
  return (shared && confirm(shared, versions)) ?? ask(true)
}

/** Null when the site's keys or settings have changed. */
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
