/** Forms: what was typed, the verb it is for, and what is wrong with it, field by field. */
import type { MiddlewareHandler } from 'hono'
import { createMiddleware } from 'hono/factory'
import * as z from 'zod/mini'
import { AppError, type ErrorCode, type Issue, joinIssues } from '../../../src/core/errors.ts'
import { MAX_BODY_BYTES } from '../../../src/core/limits.ts'
import { issuesOf } from '../../../src/core/zod.ts'
import { findUnstorable } from '../../../src/db/json-value.ts'
import type { Env, Http } from '../../http/env.ts'
import { limitBody, takesBody } from '../../http/request.ts'
import { isKnown } from '../sign-in/session.ts'
import type { Values } from './opened.ts'

/** Of a file that the console imports or exports; larger ones are for the command line. */
export const MAX_FILE_BYTES = 8 * 1024 * 1024

/** One broken rule for each field; under '' what belongs to no field. */
export type Errors = Record<string, string>

/** More than any form has. In memory and in a page each takes far more than its bytes. */
const MAX_FIELDS = 2_000
/** One stands before each field but the first, or in each. */
const MARKS: Record<string, RegExp> = {
  'application/x-www-form-urlencoded': /&/g,
  'multipart/form-data': /content-disposition/gi,
}

/** 413 above that many bytes, and for more fields than any form has. */
export function limitFormBody(maxBytes: number) {
  const limit = limitBody(maxBytes)
  return createMiddleware<Env>(async function limitFormBody(c, next) {
    return limit(c, async () => {
      if (await hasTooManyFields(c)) throw new AppError('body_too_large')
      await next()
    })
  })
}

/** The limits of forms from a browser that was signed in, and from any other. */
export function limitByBrowser(known: MiddlewareHandler<Env>, unknown: MiddlewareHandler<Env>) {
  return createMiddleware<Env>(async function limitByBrowser(c, next) {
    if (!takesBody(c)) return next()
    return (await isKnown(c)) ? known(c, next) : unknown(c, next)
  })
}

/** Asked before the form is parsed, which takes as long for each field. */
async function hasTooManyFields(c: Http): Promise<boolean> {
  const [type = ''] = (c.req.header('Content-Type') ?? '').split(';')
  const mark = MARKS[type.trim().toLowerCase()]
  if (!mark) return false
  const body = new TextDecoder('latin1').decode(await c.req.arrayBuffer())
  let fields = 0
  for (const _ of body.matchAll(mark)) if (++fields > MAX_FIELDS) return true
  return false
}

/** Fits the longest URL, of which each character may take nine bytes. */
const limitFields = limitFormBody(32 * 1024)
/** Fits the longest body of a delivery. */
const limitPasted = limitFormBody(1024 * 1024)

/** Fits a file to import, with line ends that a form has made longer. */
const limitFile = limitFormBody(MAX_FILE_BYTES + 1024 * 1024)

/** Fits the slugs of 100 posts, each of 1,200 characters at most, and the ids of as many sites as a person is offered. */
const limitSelection = limitFormBody(128 * 1024)

/** Fits an article as large as it can be, in a form of parts. */
export const MAX_EDIT_BYTES = MAX_BODY_BYTES + 512 * 1024
const limitEdit = limitFormBody(MAX_EDIT_BYTES)
/** Of those that have an article's text: its edit form, and the preview of what is typed there. */
export const hasArticle = (path: string) => /\/content\/(?:posts|guides)\/[^/]+\/(?:edit|preview)$/.test(path)

/** Of rows of a list, and of the sites that a person reaches. */
const SELECTIONS = /\/selection$|\/console\/people(?:\/[^/]+)?$/

const limitKnown = createMiddleware<Env>(async function limitKnown(c, next) {
  if (c.req.path.endsWith('/settings/transfer')) return limitFile(c, next)
  if (c.req.path.endsWith('/signature-check')) return limitPasted(c, next)
  if (hasArticle(c.req.path)) return limitEdit(c, next)
  return SELECTIONS.test(c.req.path) ? limitSelection(c, next) : limitFields(c, next)
})

/** Answers 413 to a form that is larger than its fields can be, and to any long form of a browser that never signed in. */
export const limitForm = limitByBrowser(limitKnown, limitFields)

const refuseOthers = () => {
  throw new AppError('invalid_body', { path: '', message: 'must be a form' })
}

/** Names and values, in order; a name may come more than once. */
export type Texts = [name: string, value: string][]

/** The texts of the form that was posted; null for what is no form. */
export async function readTexts(c: Http): Promise<Texts | null> {
  const form = await c.req.formData().catch(() => null)
  return form && [...form].flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : []))
}

/** The values of a field that may be there more than once, such as a checkbox of each row. */
export async function readAll(c: Http, name: string): Promise<string[]> {
  const texts = (await readTexts(c)) ?? refuseOthers()
  return texts.flatMap(([each, value]) => (each === name ? [value] : []))
}

export async function readForm(c: Http): Promise<Values> {
  const form = await c.req.parseBody().catch(refuseOthers)
  const texts = Object.entries(form).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value]] : [],
  )
  return Object.fromEntries(texts)
}

type Submission = {
  /** The errors of fields that a code of the verb stands for. */
  refusals?: Partial<Record<ErrorCode, Errors>>
  /** Gives an issue the path of the field that it is shown beside. */
  placeOf?: (issue: Issue) => Issue
}

type Submitted<Result> = { result: Result; errors?: never } | { result?: never; errors: Errors }

/** Parses the input of a form and hands it to a verb. Returns errors to be shown beside the fields, and throws all others. */
export async function submit<Schema extends z.ZodMiniType, Result>(
  schema: Schema,
  input: Record<string, unknown>,
  verb: (input: z.output<Schema>) => Promise<Result>,
  {
    refusals = {},
    placeOf = (issue) => (Object.hasOwn(input, issue.path) ? issue : ofNoField(issue)),
  }: Submission = {},
): Promise<Submitted<Result>> {
  const invalid = (issues: readonly Issue[]) => ({ errors: toErrors(issues.map(placeOf)) })
  const unstorable = findUnstorable(input)
  if (unstorable) return invalid([unstorable])
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

/** The same for the fields of the input alone: the others may have values that today would be refused. */
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

/** An issue whose path is no field of the form. */
export const ofNoField = (issue: Issue): Issue => ({ path: '', message: joinIssues([issue]) })

/** The first broken rule of each field. */
function toErrors(issues: Issue[]): Errors {
  return Object.fromEntries(issues.map(({ path, message }) => [path, message]).reverse())
}

/** For a form that is shown (again): the name, value and error of each of its fields. */
export function fieldsOf(values: Values, errors: Errors) {
  return (name: string) => ({ name, value: values[name], error: errors[name] })
}
