/** The operator's token, for the management API. */
import { createMiddleware } from 'hono/factory'
import { countAttempt } from '../../src/attempts.ts'
import { AppError } from '../../src/errors.ts'
import { findByToken, type Identity } from '../../src/operators.ts'
import { bearerToken, VARY } from './api-key.ts'
import type { Env, Http } from './env.ts'
import { addressOf } from './request.ts'

/** How the command line names itself: `headless-content-api-cli`. */
const CLI = /^headless-content-api-cli\b/

/** Sets the actor. */
export const requireOperator = createMiddleware<Env>(async function operator(c, next) {
  c.header('Cache-Control', 'no-store')
  c.header('Vary', VARY)
  const token = bearerToken(c)
  if (!token) throw new AppError('operator_refused')
  // The right token is never refused, so that nobody at the same address can lock a script out.
  const found = await findByToken(c.get('ctx'), token)
  if (found) {
    setActorOf(c, found, CLI.test(c.req.header('User-Agent') ?? '') ? 'cli' : 'management')
    return next()
  }
  const attempt = await countAttempt(c.get('ctx'), addressOf(c))
  if (!attempt.exceeded) throw new AppError('operator_refused')
  c.header('Retry-After', String(attempt.retryAfterSeconds))
  throw new AppError('too_many_attempts')
})

/** From here on the request's writes are by this operator. */
export function setActorOf(c: Http, { id, name, role }: Identity, door: 'cli' | 'console' | 'management') {
  const ctx = c.get('ctx')
  ctx.actor = { id, name, role, door, address: addressOf(c) }
  ctx.logFields.operatorId = id ?? name
}
