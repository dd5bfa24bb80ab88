/** Addresses that open something by themselves, with an id or a token that cannot be guessed. */
import { lookUp, type PresentedKey } from '../../src/access/admission.ts'
import { countOwnAttempt, type Door, judge } from '../../src/access/attempts.ts'
import { type Credential, isRefused } from '../../src/access/credentials.ts'
import { findSharedAuth } from '../../src/access/shared-auths.ts'
import type { Http } from './env.ts'
import { refuseAttempt } from './operator.ts'
import { addressOf } from './request.ts'

/**
 * Null for one that opens nothing. An address that guesses is refused before Postgres is asked, but not for what Redis knows
 * to be right. @throws AppError too_many_attempts
 */
export async function findHolder(
  c: Http,
  door: Door,
  credential: Credential | null,
): Promise<PresentedKey | null> {
  const ctx = c.get('ctx')
  if (!credential || isRefused(ctx, credential)) return null
  const { hash } = credential
  const { auths, lookups } = ctx.caches
  // One that was right, or that another request is looking up, is no guess.
  if (auths.get(hash)) return lookUp(ctx, credential)
  const underWay = lookups.underWay(hash)
  if (underWay && (await underWay) !== undefined) return lookUp(ctx, credential)
  const attempt = countOwnAttempt(door, addressOf(c))
  if (attempt.exceeded && !(await findSharedAuth(ctx, credential).catch(() => null))) {
    refuseAttempt(c, attempt)
  }
  return judge(attempt, lookUp(ctx, credential))
}
