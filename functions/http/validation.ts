/** Hooks of `zValidator`: what happens to input that breaks its schema. */
import type { Context, ValidationTargets } from 'hono'
import type * as z from 'zod/mini'
import { AppError } from '../../src/errors.ts'
import { issuesOf } from '../../src/zod-messages.ts'
import { type RequiredAccess, requireKey } from './api-key.ts'

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

/** For the API: a wrong key is 401, whatever the query is. */
export const requireKeyFirst = (access?: RequiredAccess) =>
  async function requireKeyFirst(result: Result, c: Context): Promise<void> {
    if (result.success) return
    await requireKey(c, access)
    refuseInvalid(result)
  }
