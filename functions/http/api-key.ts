/** Bearer keys, and for one post the tokens of links to it, scoped to the site in the path. */
import { confirmKey, type PresentedKey } from '../../src/access/admission.ts'
import { keyCredential } from '../../src/access/keys.ts'
import type { ConfirmedAuth } from '../../src/caches.ts'
import { previewCredential } from '../../src/content/posts/preview-links.ts'
import { AppError } from '../../src/core/errors.ts'
import { keyAccesses } from '../../src/db/schema.ts'
import type { Http } from './env.ts'
import { lookUpWithinBudget } from './lookup-budget.ts'
import { addressOf, bearerToken, siteIdOf, VARY } from './request.ts'

/** What a key must open. The sitemap is also for a key in `?token=`. */
export type RequiredAccess = (typeof keyAccesses)[number]

/** With `isForLinks`, a link to a post may ask as well. */
export type KeyRequirement = { access?: RequiredAccess; isForLinks?: boolean }

/**
 * Finds the request's key, which must open the site in the path. It may be cached, so `serveRead` and `requireKey` have it confirmed.
 * Whatever is wrong (no key, another site's, one that opens less, a malformed `siteId`), the refusal is the same.
 *
 * @throws AppError api_key_refused
 */
export async function authenticate(c: Http, asked: KeyRequirement): Promise<PresentedKey> {
  c.header('Vary', VARY)
  const ctx = c.get('ctx')
  const { access = 'full', isForLinks = false } = asked
  // A path without a site is for whichever the key opens.
  const askedSite = c.req.param('siteId') === undefined ? null : siteIdOf(c, 'api_key_refused')
  const key = bearerToken(c) ?? (access === 'sitemap' ? queryToken(c) : null)
  const presented = key && (await find(c, key, askedSite, isForLinks))
  if (!presented || !opens(presented, askedSite, access, isForLinks)) throw new AppError('api_key_refused')
  const { keyId, siteId } = presented
  Object.assign(ctx.logFields, { siteId, keyId })
  return presented
}

/** Authenticates without counting, and makes the key the actor. @throws AppError api_key_refused */
export async function requireKey(c: Http, asked: KeyRequirement = {}): Promise<ConfirmedAuth> {
  const ctx = c.get('ctx')
  const auth = await confirmKey(ctx, await authenticate(c, asked))
  // What the API lets a key write, an editor may.
  ctx.actor = {
    id: auth.keyId,
    name: null,
    role: 'editor',
    sites: [],
    token: null,
    door: 'api',
    address: addressOf(c),
  }
  return auth
}

/** A link to a post is looked up only where it opens something. */
async function find(
  c: Http,
  key: string,
  siteId: string | null,
  isForLinks: boolean,
): Promise<PresentedKey | null> {
  const ofKey = await keyCredential(key, siteId)
  if (ofKey || !isForLinks) return lookUpWithinBudget(c, 'keys', ofKey)
  return lookUpWithinBudget(c, 'drafts', await previewCredential(key, { siteId, refusal: 'api_key_refused' }))
}

function opens(
  { access, siteId }: PresentedKey,
  askedSite: string | null,
  required: RequiredAccess,
  isForLinks: boolean,
): boolean {
  if (askedSite !== null && askedSite !== siteId) return false
  if (access === 'preview') return isForLinks
  return keyAccesses.indexOf(access) <= keyAccesses.indexOf(required)
}

/** `?token=`, for clients that cannot send headers. Given twice, it counts as missing. */
function queryToken(c: Http): string | null {
  const tokens = c.req.queries('token') ?? []
  return tokens.length === 1 ? tokens[0]! : null
}
