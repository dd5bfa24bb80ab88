/** The operator's token, for the management API. */
import { createMiddleware } from 'hono/factory'
import { equalSecrets } from '../../src/digest.ts'
import { AppError } from '../../src/errors.ts'
import { bearer } from './api-key.ts'
import type { Env } from './env.ts'

export const operator = createMiddleware<Env>(async function operator(c, next) {
  c.header('Cache-Control', 'no-store')
  c.header('Vary', 'Authorization')
  const token = bearer(c)
  if (!token || !(await equalSecrets(token, c.get('ctx').config.OPERATOR_TOKEN))) {
    throw new AppError('operator_refused')
  }
  await next()
})
