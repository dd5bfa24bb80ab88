/** The operator's token, for the management API. */
import { createMiddleware } from 'hono/factory'
import { countAttempt } from '../../src/attempts.ts'
import { equalSecrets } from '../../src/digest.ts'
import { AppError } from '../../src/errors.ts'
import { bearerToken, VARY } from './api-key.ts'
import type { Env, Http } from './env.ts'

export const requireOperator = createMiddleware<Env>(async function operator(c, next) {
  c.header('Cache-Control', 'no-store')
  c.header('Vary', VARY)
  const token = bearerToken(c)
  if (!token) throw new AppError('operator_refused')
  // The right token is never refused, so that nobody at the same address can lock a script out.
  if (await equalSecrets(token, c.get('ctx').config.OPERATOR_TOKEN)) return next()
  const attempt = await countAttempt(c.get('ctx'), addressOf(c))
  if (!attempt.exceeded) throw new AppError('operator_refused')
  c.header('Retry-After', String(attempt.retryAfterSeconds))
  throw new AppError('too_many_attempts')
})

/** The client's IP address. Cloudflare sets it, and a client cannot. */
export function addressOf(c: Http): string {
  return c.req.header('CF-Connecting-IP') ?? 'unknown'
}
