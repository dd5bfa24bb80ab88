/** Forms: what was typed, what it means to a verb, and what is wrong with it, field by field. */
import { createMiddleware } from 'hono/factory'
import type { z } from 'zod'
import { AppError, type Issue, joinIssues } from '../../src/errors.ts'
import { findUnstorable } from '../../src/json-value.ts'
import { issuesOf } from '../../src/zod-messages.ts'
import type { Env, Http } from '../http/env.ts'
import { limitBody } from '../http/request.ts'

/** What stands in the fields, by name. */
export type Values = Record<string, string>
/** Rules that are broken, by field; under '' what concerns no field. */
export type Errors = Record<string, string>

/** Room for the longest URL, of which each character may take nine bytes. */
const limitFields = limitBody(32 * 1024)
/** Room for the longest body of a delivery. */
const limitPasted = limitBody(1024 * 1024)

/** 413 for a form that is larger than its fields can be. */
export const limitForm = createMiddleware<Env>(async function limitForm(c, next) {
  return c.req.path.endsWith('/signature-check') ? limitPasted(c, next) : limitFields(c, next)
})

export async function readForm(c: Http): Promise<Values> {
  const form = await c.req.parseBody().catch(() => {
    throw new AppError('invalid_body', { path: '', message: 'must be a form' })
  })
  const texts = Object.entries(form).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value]] : [],
  )
  return Object.fromEntries(texts)
}

/**
 * Runs a verb with what a form means. A refusal that is about the input comes back as errors, to be shown beside the
 * fields; any other goes on.
 */
export async function submit<Schema extends z.ZodType, Done>(
  schema: Schema,
  meant: Record<string, unknown>,
  verb: (input: z.output<Schema>) => Promise<Done>,
): Promise<{ done: Done; errors?: never } | { errors: Errors }> {
  const refused = (issues: readonly Issue[]) => ({ errors: errorsOf(issues, Object.keys(meant)) })
  const unstorable = findUnstorable(meant)
  if (unstorable) return refused([unstorable])
  const parsed = schema.safeParse(meant)
  if (!parsed.success) return refused(issuesOf(parsed.error))
  try {
    return { done: await verb(parsed.data) }
  } catch (error) {
    if (error instanceof AppError && error.code === 'invalid_body') return refused(error.issues)
    throw error
  }
}

/** The first broken rule of each field. */
function errorsOf(issues: readonly Issue[], fields: string[]): Errors {
  const entries = issues.map((issue) =>
    fields.includes(issue.path) ? [issue.path, issue.message] : ['', joinIssues([issue])],
  )
  return Object.fromEntries(entries.reverse())
}
