import { type Issue, joinIssues } from '../core/errors.ts'

/** A failure with a one-line message for the operator; `status` and `issues` are from the API's response. */
export class Failure extends Error {
  readonly status: number | undefined

  readonly issues: readonly Issue[]

  constructor(message: string, status?: number, issues: readonly Issue[] = []) {
    super(message)
    this.name = 'Failure'
    this.status = status
    this.issues = issues
  }
}

/** Rewrites the paths of a validation error so that the operator recognises them. */
export function relocated(failure: Failure, locate: (path: string) => string): Failure {
  if (failure.issues.length === 0) return failure
  const issues = failure.issues.map(({ path, message }) => ({ path: locate(path), message }))
  return new Failure(`Invalid body: ${joinIssues(issues)}`, failure.status, issues)
}
