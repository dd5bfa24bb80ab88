import { lookUp, type PresentedKey } from '../../src/access/admission.ts'
import { type CredentialKind, countOwnAttempt, judge } from '../../src/access/attempts.ts'
import { batched } from '../../src/access/batched-lookups.ts'
import { type Credential, isRefused } from '../../src/access/credentials.ts'
import { findSharedAuth } from '../../src/access/shared-auths.ts'
import type { BatchedKind } from '../../src/caches.ts'
import type { Http } from './env.ts'
import { refuseAttempt } from './operator.ts'
import { addressOf } from './request.ts'

const ANY_ADDRESS = 'any'

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
  if (auths.get(hash)) return lookUp(ctx, credential)
  const underWay = lookups.underWay(hash)
  if (underWay && (await underWay) !== undefined) return lookUp(ctx, credential)
  const isShared = isBatched(kind)
  // All visitors of a front end share its address.
  const attempt = countOwnAttempt(ctx, kind, isShared ? ANY_ADDRESS : addressOf(c))
  if (attempt.exceeded && isShared) return lookUp(ctx, batched(kind, credential))
  if (attempt.exceeded && !(await findSharedAuth(ctx, credential).catch(() => null))) {
    refuseAttempt(c, attempt)
  }
  return judge(attempt, lookUp(ctx, credential))
}
