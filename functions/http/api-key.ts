import { confirmKey, lookUp, type PresentedKey } from '../../src/access/admission.ts'
import { type CredentialKind, countLocalAttempt, settleAttempt } from '../../src/access/attempts.ts'
import { asBatched, type Credential, findSharedAuth, isRefused } from '../../src/access/credentials.ts'
import { keyCredential } from '../../src/access/keys.ts'
import type { BatchedKind, ConfirmedAuth } from '../../src/caches.ts'
import { previewCredential } from '../../src/content/posts/preview-links.ts'
import { AppError } from '../../src/core/errors.ts'
import { keyAccesses } from '../../src/db/schema.ts'
import type { Http } from './env.ts'
import { refuseAttempt } from './operator.ts'
import { addressOf, bearerToken, siteIdOf, VARY } from './request.ts'

const ANY_ADDRESS = 'any'

/** The sitemap also accepts its key in `?token=`. */
export type RequiredAccess = (typeof keyAccesses)[number]

/** `isForLinks` also accepts a preview link. */
export type KeyRequirement = { access?: RequiredAccess; isForLinks?: boolean }

/** The key may come from a cache; `serveRead` and `requireKey` confirm it. @throws AppError api_key_refused for every failure */
export async function authenticate(c: Http, asked: KeyRequirement): Promise<PresentedKey> {
  c.header('Vary', VARY)
  const ctx = c.get('ctx')
  const { access = 'full', isForLinks = false } = asked
  // A path without a site means the key's own site.
  const askedSite = c.req.param('siteId') === undefined ? null : siteIdOf(c, 'api_key_refused')
  const key = bearerToken(c) ?? (access === 'sitemap' ? queryToken(c) : null)
  const presented = key && (await find(c, key, askedSite, isForLinks))
  if (!presented || !grantsAccess(presented, askedSite, access, isForLinks))
    throw new AppError('api_key_refused')
  const { keyId, siteId } = presented
  Object.assign(ctx.logFields, { siteId, keyId })
  return presented
}

/** Counts no quota. @throws AppError api_key_refused */
export async function requireKey(c: Http, asked: KeyRequirement = {}): Promise<ConfirmedAuth> {
  const ctx = c.get('ctx')
  const auth = await confirmKey(ctx, await authenticate(c, asked))
  // A key writes with an editor's permissions.
  ctx.actor = {
    id: auth.keyId,
    name: null,
    role: 'editor',
    sites: [],
    token: null,
    channel: 'api',
    address: addressOf(c),
  }
  return auth
}

async function find(
  c: Http,
  key: string,
  siteId: string | null,
  isForLinks: boolean,
): Promise<PresentedKey | null> {
  const keyAuth = await keyCredential(key, siteId)
  if (keyAuth || !isForLinks) return lookUpWithinBudget(c, 'keys', keyAuth)
  return lookUpWithinBudget(c, 'drafts', await previewCredential(key, { siteId, refusal: 'api_key_refused' }))
}

const isBatched = (kind: CredentialKind): kind is BatchedKind => kind === 'keys' || kind === 'drafts'

/** Above the limit, keys and preview links share batched queries. Other credentials get 429 unless Redis has them. @throws AppError */
export async function lookUpWithinBudget(
  c: Http,
  kind: CredentialKind,
  credential: Credential | null,
): Promise<PresentedKey | null> {
  const ctx = c.get('ctx')
  if (!credential || isRefused(ctx, credential)) return null
  const { hash } = credential
  const { auths, lookups } = ctx.caches
  // A valid credential, or one that another request is looking up, is not a guess.
  if (auths.get(hash) || lookups.has(hash)) return lookUp(ctx, credential)
  const isShared = isBatched(kind)
  // All visitors of a front end share its address.
  const attempt = countLocalAttempt(ctx, kind, isShared ? ANY_ADDRESS : addressOf(c))
  if (attempt.exceeded && isShared) return lookUp(ctx, asBatched(kind, credential))
  if (attempt.exceeded && !(await findSharedAuth(ctx, credential).catch(() => null))) {
    refuseAttempt(c, attempt)
  }
  return settleAttempt(attempt, lookUp(ctx, credential))
}

function grantsAccess(
  { access, siteId }: PresentedKey,
  askedSite: string | null,
  required: RequiredAccess,
  isForLinks: boolean,
): boolean {
  if (askedSite !== null && askedSite !== siteId) return false
  if (access === 'preview') return isForLinks
  return keyAccesses.indexOf(access) <= keyAccesses.indexOf(required)
}

/** For clients that cannot send headers. A repeated parameter counts as missing. */
function queryToken(c: Http): string | null {
  const tokens = c.req.queries('token') ?? []
  return tokens.length === 1 ? tokens[0]! : null
}
