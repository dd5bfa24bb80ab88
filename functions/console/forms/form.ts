/** Reads and validates posted forms, with errors by field. */
import { createMiddleware } from 'hono/factory'
import * as z from 'zod/mini'
import { AppError, type ErrorCode, type Issue, joinIssues } from '../../../src/core/errors.ts'
import { MAX_ARTICLES } from '../../../src/core/limits.ts'
import { issuesOf } from '../../../src/core/zod.ts'
import { findUnstorable } from '../../../src/db/json-value.ts'
import type { Env, Http } from '../../http/env.ts'
import { limitBody, takesBody } from '../../http/request.ts'
import { isKnown } from '../sign-in/session.ts'

/** The largest import in the console. The command line takes larger files. */
export const MAX_FILE_BYTES = 8 * 1024 * 1024
/** Fits that file with CRLF line ends, and the largest article. */
export const MAX_FORM_BYTES = MAX_FILE_BYTES + 1024 * 1024

/** The texts of the fields by name. */
export type Values = Record<string, string>

/** One error per field. The key '' holds errors of no field. */
export type Errors = Record<string, string>

/** More than any form has. Each field takes far more memory than its bytes. */
const MAX_FIELDS = 2_000
/** Separators that count the fields of an unparsed form. */
const MARKS: Record<string, RegExp> = {
  'application/x-www-form-urlencoded': /&/g,
  'multipart/form-data': /content-disposition/gi,
}

/** Responds with 413 to too many fields, and to long forms of browsers that never signed in. */
export function limitForms(maxUnknownBytes: number) {
  const [limitKnown, limitUnknown] = [limitBody(MAX_FORM_BYTES), limitBody(maxUnknownBytes)]
  return createMiddleware<Env>(async function limitForms(c, next) {
    if (!takesBody(c)) return next()
    const limit = (await isKnown(c)) ? limitKnown : limitUnknown
    return limit(c, async () => {
      if (await hasTooManyFields(c)) throw new AppError('body_too_large')
      await next()
    })
  })
}

/** Fits the longest URL: a character may take nine bytes. */
export const limitForm = limitForms(32 * 1024)

/** Counts without parsing, since parsing takes time for each field. */
async function hasTooManyFields(c: Http): Promise<boolean> {
  const [type = ''] = (c.req.header('Content-Type') ?? '').split(';')
  const mark = MARKS[type.trim().toLowerCase()]
  if (!mark) return false
  const body = new TextDecoder('latin1').decode(await c.req.arrayBuffer())
  let fields = 0
  for (const _ of body.matchAll(mark)) if (++fields > MAX_FIELDS) return true
  return false
}

const refuseOthers = () => {
  throw new AppError('invalid_body', { path: '', message: 'must be a form' })
}

/** In the order of the form. A name may repeat. */
export type FormEntries = [name: string, value: string][]

/** @returns null if the body is not a form */
export async function readFormEntries(c: Http): Promise<FormEntries | null> {
  const form = await c.req.formData().catch(() => null)
  return form && [...form].flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : []))
}

/** The selected rows. @throws AppError invalid_body for more than a list allows */
export async function readSelected(c: Http, name: string): Promise<string[]> {
  const texts = (await readFormEntries(c)) ?? refuseOthers()
  const selected = texts.flatMap(([each, value]) => (each === name ? [value.normalize('NFC')] : []))
  const values = [...new Set(selected)]
  if (values.length > MAX_ARTICLES)
    throw new AppError('invalid_body', { path: name, message: `must be at most ${MAX_ARTICLES}` })
  return values
}

export async function readForm(c: Http): Promise<Values> {
  const form = await c.req.parseBody().catch(refuseOthers)
  const texts = Object.entries(form).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value]] : [],
  )
  return Object.fromEntries(texts)
}

/** Hides how a text is spelt: `exe.gpj` shows as `jpg.exe`. The API takes it. */
const REVERSES = /[\u202d\u202e]/
const REVERSED = 'must not contain an invisible character that reverses text (U+202D or U+202E)'

type Submission = {
  /** The field errors for an error code. */
  refusals?: Partial<Record<ErrorCode, Errors>>
  /** Maps an issue to the field that shows it. */
  placeOf?: (issue: Issue) => Issue
}

export type Submitted<Result> = { result: Result; errors?: never } | { result?: never; errors: Errors }

/** Validates the input and calls the verb. Returns errors that belong to fields, and throws all others. */
export async function submit<Schema extends z.ZodMiniType, Result>(
  schema: Schema,
  input: Record<string, unknown>,
  verb: (input: z.output<Schema>) => Promise<Result>,
  {
    refusals = {},
    placeOf = (issue) => (Object.hasOwn(input, issue.path) ? issue : toFormIssue(issue)),
  }: Submission = {},
): Promise<Submitted<Result>> {
  const invalid = (issues: readonly Issue[]) => ({ errors: toErrors(issues.map(placeOf)) })
  const unstorable = findUnstorable(input)
  if (unstorable) return invalid([unstorable])
  const reversed = Object.keys(input).find(
    (name) => name !== 'contentHtml' && REVERSES.test(String(input[name])),
  )
  if (reversed) return invalid([{ path: reversed, message: REVERSED }])
  const parsed = schema.safeParse(input)
  if (!parsed.success) return invalid(issuesOf(parsed.error))
  try {
    return { result: await verb(parsed.data) }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    if (error.code === 'invalid_body') return invalid(error.issues)
    const errors = refusals[error.code]
    if (!errors) throw error
    return { errors }
  }
}

/** Like `submit`, but validates only the given fields: stored values of others may break newer rules. */
export function submitFields<Shape extends z.core.$ZodLooseShape, Result>(
  schema: z.ZodMiniObject<Shape>,
  input: Record<string, unknown>,
  verb: (input: Partial<z.output<z.ZodMiniObject<Shape>>>) => Promise<Result>,
  submission?: Submission,
) {
  const fields = Object.fromEntries(Object.keys(input).map((name) => [name, true]))
  return submit(
    z.pick(schema, fields as never),
    input,
    verb as (input: object) => Promise<Result>,
    submission,
  )
}

export const toFormIssue = (issue: Issue): Issue => ({ path: '', message: joinIssues([issue]) })

/** The first error of each field. */
function toErrors(issues: Issue[]): Errors {
  return Object.fromEntries(issues.map(({ path, message }) => [path, message]).reverse())
}

/** The props of a field by its name. */
export function fieldsOf(values: Values, errors: Errors) {
  return (name: string) => ({ name, value: values[name], error: errors[name] })
}
