import type * as z from 'zod/mini'
import { type Issue, joinIssues } from './errors.ts'

type RawIssue = z.core.$ZodRawIssue

const UNITS: Record<string, string> = { string: 'characters', array: 'items', number: '', int: '' }
const ARTICLES: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  int: 'an integer',
  boolean: 'a boolean',
  array: 'an array',
  object: 'an object',
  record: 'an object',
}

/** Default messages, for `z.config`, because Zod Mini would say "Invalid input". A schema's own message wins. */
export function customError(issue: RawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return 'is required'
      return `must be ${ARTICLES[issue.expected as string] ?? issue.expected}`
    case 'too_small':
      return `must be at least ${amount(issue, issue.minimum)}`
    case 'too_big':
      return `must be at most ${amount(issue, issue.maximum)}`
    case 'invalid_value':
      return `must be ${oneOf(issue.values as unknown[])}`
    case 'invalid_format':
      return issue.format === 'uuid' ? 'must be a UUID' : issue.format === 'url' ? 'must be a URL' : undefined
    default:
      return undefined
  }
}

function amount(issue: RawIssue, bound: unknown): string {
  const unit = UNITS[issue.origin as string] ?? ''
  return `${bound} ${Number(bound) === 1 ? unit.replace(/s$/, '') : unit}`.trim()
}

export function oneOf(values: readonly unknown[]): string {
  return values.join(', ').replace(/, ([^,]+)$/, ' or $1')
}

const MAX_ISSUES = 20
const MAX_STEP_LENGTH = 100

/** Distinct, and at most 20. */
export function issuesOf(error: z.core.$ZodError): Issue[] {
  const issues = error.issues
    .slice(0, MAX_ISSUES)
    .flatMap((issue) =>
      issue.code === 'unrecognized_keys'
        ? issue.keys
            .slice(0, MAX_ISSUES)
            .map((key) => ({ path: pathText([...issue.path, key]), message: 'is not a known field' }))
        : [{ path: pathText(issue.path), message: issue.message }],
    )
  return [...new Map(issues.map((issue) => [joinIssues([issue]), issue])).values()].slice(0, MAX_ISSUES)
}

function pathText(path: PropertyKey[]): string {
  return path.reduce<string>(
    (text, step) =>
      typeof step === 'number'
        ? `${text}[${step}]`
        : `${text}${text && '.'}${String(step).slice(0, MAX_STEP_LENGTH)}`,
    '',
  )
}

/** The Worker never validates its own responses, so the bundler drops `@__PURE__` calls of this. */
export function responseSchema<Schema>(build: () => Schema): Schema {
  return build()
}
