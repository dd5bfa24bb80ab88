/** Admits a request: one Redis call counts it and checks that the cached key is current. */

import type { ApiKeyAuth, CachedAuth, ConfirmedAuth, LookedUp } from '../caches.ts'
import type { Context } from '../context.ts'
import { AppError } from '../core/errors.ts'
import type { Versions } from '../freshness/versions.ts'
import { type Credential, findLocalAuth, findSharedAuth, isRefused, queryCredential } from './credentials.ts'
import {
  countLocally,
  countRequest,
  findExhaustedQuota,
  logOutage,
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

/** How to count a request. */
export type Plan = { mode: QuotaMode; dependsOnContent: boolean }

/** `quota` is null for `skip`, and while Redis is down and this isolate's estimate has quota left. */
export type Admission<OwnPlan extends Plan> = { auth: ConfirmedAuth; quota: Quota | null; plan: OwnPlan }

/** Null if the credential grants no access. Simultaneous requests share one lookup. */
export async function lookUp(ctx: Context, credential: Credential | null): Promise<PresentedKey | null> {
  if (!credential || isRefused(ctx, credential)) return null
  const local = findLocalAuth(ctx, credential)
  if (local) return toPresentedKey(credential, { cached: local, isFresh: false, redis: true })
  const { lookups } = ctx.caches
  const found = await lookups.share(credential.hash, () => findAuth(ctx, credential), ctx.defer)
  return found && toPresentedKey(credential, found)
}

function toPresentedKey(credential: Credential, found: LookedUp): PresentedKey {
  const { site, ...access } = found.cached.auth
  return { ...access, credential, siteId: site.id, [lookedUp]: found }
}

async function findAuth(ctx: Context, credential: Credential): Promise<LookedUp | null> {
  if (isRefused(ctx, credential)) return null
  let redis = true
  const findShared = () =>
    findSharedAuth(ctx, credential).catch((error) => {
      logOutage(ctx, error)
      redis = false
      return null
    })
  const cached = findLocalAuth(ctx, credential) ?? (credential.isBatched ? null : await findShared())
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
export async function admitRequest<OwnPlan extends Plan>(
  ctx: Context,
  presented: PresentedKey,
  planFor: (versions: Versions) => OwnPlan | Promise<OwnPlan>,
): Promise<Admission<OwnPlan>> {
  const { cached, isFresh, redis } = presented[lookedUp]
  const known = cached.auth
  const plan = await planFor(known.site)
  if (isFresh) return { auth: asConfirmed(known), quota: await count(ctx, known, plan.mode, redis), plan }
  const replan = ({ site }: ConfirmedAuth) =>
    site.contentVersion === known.site.contentVersion ? plan : planFor(site)
  const reply = await countRequest(ctx, known, plan.mode, expectedPrefix(known.site, plan))
  if (!reply) return withoutRedis(ctx, presented, plan, replan)
  const auth = await confirmOrLookUp(ctx, presented, reply.versions)
  const currentPlan = await replan(auth)
  const isCounted = reply.isCurrent || plan.mode === 'skip'
  const quota = isCounted ? reply.quota : await count(ctx, auth, currentPlan.mode)
  return { auth, quota, plan: currentPlan }
}

async function withoutRedis<OwnPlan extends Plan>(
  ctx: Context,
  presented: PresentedKey,
  plan: OwnPlan,
  replan: (auth: ConfirmedAuth) => OwnPlan | Promise<OwnPlan>,
): Promise<Admission<OwnPlan>> {
  const { cached } = presented[lookedUp]
  const exhausted = findRecentlyExhausted(ctx, cached, plan.mode)
  if (exhausted) return { auth: asConfirmed(cached.auth), quota: exhausted, plan }
  const auth = await confirmOrLookUp(ctx, presented, null)
  const currentPlan = await replan(auth)
  return { auth, quota: countLocally(ctx, auth, currentPlan.mode), plan: currentPlan }
}

/** Counts a request whose key is current. */
async function count(ctx: Context, auth: ApiKeyAuth, mode: QuotaMode, redis = true): Promise<Quota | null> {
  const reply = redis ? await countRequest(ctx, auth, mode) : null
  return reply ? reply.quota : countLocally(ctx, auth, mode)
}

function expectedPrefix({ authVersion, contentVersion }: Versions, { dependsOnContent }: Plan): string {
  return dependsOnContent ? `${authVersion}/${contentVersion}/` : `${authVersion}/`
}

/** While Redis is down, clients that keep retrying over quota cause a query every 10 s at most. */
function findRecentlyExhausted(ctx: Context, { auth, checkedAt }: CachedAuth, mode: QuotaMode): Quota | null {
  const isRecent = Date.now() < checkedAt + TRUSTED_FOR_MS
  return isRecent && mode !== 'skip' ? findExhaustedQuota(ctx, auth) : null
}

/** `versions` come from Redis, null if it is unreachable. @throws AppError the credential's refusal, also if its access has changed */
async function confirmOrLookUp(
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
  { credential, [lookedUp]: { cached } }: PresentedKey,
  versions: Versions | null,
): Promise<ConfirmedAuth | null> {
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
