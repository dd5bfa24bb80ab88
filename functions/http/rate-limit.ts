import type { Quota } from '../../src/access/quota.ts'
import { AppError } from '../../src/core/errors.ts'
import { secondsUntil } from '../../src/core/time.ts'
import type { Http } from './env.ts'

/** Null means that the request was not counted. @throws AppError quota_exceeded */
export function applyQuota(c: Http, quota: Quota | null): void {
  if (!quota) return
  c.header('X-RateLimit-Limit', String(quota.limit))
  c.header('X-RateLimit-Remaining', String(quota.remaining))
  c.header('X-RateLimit-Reset', String(quota.reset))
  if (!quota.exceeded) return
  c.header('Retry-After', String(secondsUntil(quota.reset * 1_000)))
  throw new AppError('quota_exceeded')
}
