/** Forms: what was typed, what it means to a verb, and what is wrong with it, field by field. */
import type { z } from 'zod'
import { AppError } from '../../src/errors.ts'
import { findUnstorable } from '../../src/json-value.ts'
import type { Http } from '../http/env.ts'

/** What stands in the fields, by name. */
export type Values = Record<string, string>
/** Rules that are broken, by field; under '' what concerns no field. */
export type Errors = Record<string, string>

export async function readForm(c: Http): Promise<Values> {
  const form = await c.req.parseBody().catch(() => {
    throw new AppError('invalid_body', 'must be a form')
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
  const unstorable = findUnstorable(meant)
  if (unstorable) return { errors: { [unstorable.path]: unstorable.rule } }
  const parsed = schema.safeParse(meant)
  if (!parsed.success) return { errors: errorsOf(parsed.error) }
  try {
    return { done: await verb(parsed.data) }
  } catch (error) {
    if (!(error instanceof AppError) || (error.code !== 'invalid_body' && error.code !== 'conflict'))
      throw error
    return { errors: errorsIn(error.detail ?? '', Object.keys(meant)) }
  }
}

/** The first broken rule of each field. */
function errorsOf(error: z.core.$ZodError): Errors {
  const entries = error.issues.map((issue) => [String(issue.path[0] ?? ''), issue.message])
  return Object.fromEntries(entries.reverse())
}

/** `url must be https; slug must not be empty`, taken apart. */
function errorsIn(detail: string, fields: string[]): Errors {
  const entries = detail.split('; ').map((phrase) => {
    const field = fields.find((name) => phrase.startsWith(`${name} `))
    return field ? [field, phrase.slice(field.length + 1)] : ['', phrase]
  })
  return Object.fromEntries(entries.reverse())
}
