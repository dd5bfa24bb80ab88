import { zValidator } from '@hono/zod-validator'
import type { Context, ValidationTargets } from 'hono'
import { createMiddleware } from 'hono/factory'
import type * as z from 'zod/mini'
import { AppError } from '../../src/core/errors.ts'
import { issuesOf } from '../../src/core/zod.ts'
import { type KeyRequirement, requireKey } from './api-key.ts'
import type { Env } from './env.ts'
import { MAX_NAME_LENGTH } from './query.ts'

const MAX_ISSUES = 10

type Result = { target: keyof ValidationTargets } & (
  | { success: true }
  | { success: false; error: z.core.$ZodError }
)

/** For the management API. @throws AppError naming each field and its rule */
export function refuseInvalid(result: Result): void {
  if (result.success) return
  const code = result.target === 'query' ? 'invalid_query' : 'invalid_body'
  throw new AppError(code, ...issuesOf(result.error))
}

/** A wrong key gives 401 even if the query is invalid, too. */
export const validQuery = <Schema extends z.core.$ZodType>(schema: Schema, asked: KeyRequirement = {}) =>
  zValidator('query', schema, async (result, c: Context) => {
    if (result.success) return
    await requireKey(c, asked)
    refuseInvalid(result)
  })

/** Refuses unknown parameters on reads, such as `page` on a cursor list, after the handler has validated the known ones. */
export const refuseUnknownParameters = createMiddleware<Env>(async function refuseUnknownParameters(c, next) {
  await next()
  if (!['GET', 'HEAD'].includes(c.req.method) || !c.res.ok) return
  const known = c.req.valid('query' as never) ?? {}
  const unknown = Object.keys(c.req.query()).filter((name) => !Object.hasOwn(known, name))
  const issues = unknown.map((name) => ({
    path: name.slice(0, MAX_NAME_LENGTH),
    message: 'is not a known parameter',
  }))
  if (issues[0]) throw new AppError('invalid_query', issues[0], ...issues.slice(1, MAX_ISSUES))
})
