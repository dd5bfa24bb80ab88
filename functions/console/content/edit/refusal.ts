import type { AppError } from '../../../../src/core/errors.ts'
import type { Errors } from '../../forms/form.ts'

/** The errors of a refused save at their fields, or null for an error that no form shows. */
export function refusalOf(
  { code, issues: [issue] }: AppError,
  noun: 'post' | 'guide',
): { status: 400 | 404 | 409; errors: Errors } | null {
  if (code === 'invalid_body' && issue) return { status: 400, errors: { [issue.path]: issue.message } }
  if (code === 'slug_taken') return { status: 409, errors: { slug: `is already used by another ${noun}` } }
  if (code === 'changed_meanwhile')
    return { status: 409, errors: { '': 'Someone else is saving at the same time. Try again' } }
  if (code !== `${noun}_not_found`) return null
  const gone = `Someone deleted the ${noun} or changed its slug. Your input is below: copy what you need`
  return { status: 404, errors: { '': gone } }
}
