/** The daily quota at the door: counting, its headers, 429. */
import { AppError } from '../../src/errors.ts'
import { giveBack, peek, type Quota, spend } from '../../src/quota.ts'
import type { Http } from './env.ts'

/**
 * Counts the request and sets the rate headers. One that will be answered 304 is free, but is refused like any
 * other when nothing is left.
 *
 * @throws AppError quota_exceeded, with Retry-After set
 */
export async function countRequest(c: Http, options: { free: boolean }): Promise<void> {
  const { site } = c.get('grant')
  const quota = await (options.free ? peek(c.get('ctx'), site) : spend(c.get('ctx'), site))
  if (!quota) return
  setHeaders(c, quota)
  if (!quota.exceeded) return
  c.header('Retry-After', String(Math.max(1, Math.ceil(quota.reset - Date.now() / 1_000))))
  throw new AppError('quota_exceeded')
}

/** For a counted request that turns out to be a 304 after all. */
export async function returnUnit(c: Http): Promise<void> {
  const quota = await giveBack(c.get('ctx'), c.get('grant').site)
  if (quota) setHeaders(c, quota)
}

function setHeaders(c: Http, quota: Quota): void {
  c.header('X-RateLimit-Limit', String(quota.limit))
  c.header('X-RateLimit-Remaining', String(quota.remaining))
  c.header('X-RateLimit-Reset', String(quota.reset))
}
