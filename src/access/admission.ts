/** Admits a request: one Redis call counts it and checks that the cached key is current. */

import type { ApiKeyAuth, CachedAuth, ConfirmedAuth, LookedUp } from '../caches.ts'
import type { Context } from '../context.ts'
import { AppError } from '../core/errors.ts'
import type { Versions } from '../freshness/versions.ts'
import { type Credential, findOwnAuth, findSharedAuth, isRefused, queryCredential } from './credentials.ts'
import {
  type Counted,
  countLocally,
  countRequest,
  findExhaustedQuota,
  noteOutage,
  type Quota,
  type QuotaMode,
} from './quota.ts'

const lookedUp = Symbol('lookedUp')

const TRUSTED_FOR_MS = 10_000

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

/**
 * Counts on the assumption that the cached key is current. If it is not, Redis counts nothing: we look the key up and count in
 * a second call. @throws AppError the credential's refusal
 */
export async function admitRequest<Decided extends Counting>(
  ctx: Context,
  presented: PresentedKey,
  decide: (versions: Versions) => Decided | Promise<Decided>,
): Promise<Admission<Decided>> {
  const { cached, isFresh, redis } = presented[lookedUp]
  const before = cached.auth
  const expected = await decide(before.site)
  const prefix = isFresh ? '' : expectedPrefix(before.site, expected)
  const first = redis ? await countRequest(ctx, before, expected.mode, prefix) : null
  const exhausted = first ? null : findExhaustedLately(ctx, cached, expected.mode)
  if (exhausted) return { auth: asConfirmed(before), quota: exhausted, counting: expected }
  const auth = await revalidate(ctx, presented, first?.versions ?? null)
  const isSame = auth.site.contentVersion === before.site.contentVersion
  const counting = isSame ? expected : await decide(auth.site)
  const quota = first?.isCurrent ? first.quota : await countAgain(ctx, auth, counting.mode, first)
  return { auth, quota, counting }
}

function expectedPrefix({ authVersion, contentVersion }: Versions, { dependsOnContent }: Counting): string {
  return dependsOnContent ? `${authVersion}/${contentVersion}/` : `${authVersion}/`
}

/** Without Redis, clients that keep retrying over quota cause a query every 10 s at most. */
function findExhaustedLately(ctx: Context, { auth, checkedAt }: CachedAuth, mode: QuotaMode): Quota | null {
  const isRecent = Date.now() < checkedAt + TRUSTED_FOR_MS
  return isRecent && mode !== 'skip' ? findExhaustedQuota(ctx, auth) : null
}

/** `first` is null without Redis. */
async function countAgain(
  ctx: Context,
  auth: ConfirmedAuth,
  mode: QuotaMode,
  first: Counted | null,
): Promise<Quota | null> {
  const second = first && (await countRequest(ctx, auth, mode))
  return second ? second.quota : countLocally(ctx, auth, mode)
}

/** `versions` are Redis's. @throws AppError the credential's refusal, also if it grants other access by now */
async function revalidate(
  ctx: Context,
  presented: PresentedKey,
  versions: Versions | null,
): Promise<ConfirmedAuth> {
  const { credential, access, siteId, postId } = presented
  const auth = await findCurrent(ctx, presented, versions)
  const isSame = auth?.access === access && auth.site.id === siteId && auth.postId === postId
  if (!isSame) throw new AppError(credential.refusal)
  return auth
}

async function findCurrent(
  ctx: Context,
  { credential, [lookedUp]: { cached, isFresh } }: PresentedKey,
  versions: Versions | null,
): Promise<ConfirmedAuth | null> {
  if (isFresh) return asConfirmed(cached.auth)
  if (versions) {
    const confirmed = confirm(cached, versions)
    if (confirmed) return confirmed
    // Another isolate may have refreshed the key.
    const shared = await findSharedAuth(ctx, credential).catch(() => null)
    const refreshed = shared && confirm(shared, versions)
    if (refreshed) return refreshed
  }
  const queried = await queryCredential(ctx, credential, { share: versions !== null })
  return queried && asConfirmed(queried.auth)
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
