import { type Issue, joinIssues } from '../core/errors.ts'

/** A failure with one clear line for the operator. `status` and `issues` are the API's, if it answered. */
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

/** The same refusal of a body, with paths as the operator knows them. */
export function relocated(failure: Failure, locate: (path: string) => string): Failure {
  if (failure.issues.length === 0) return failure
  const issues = failure.issues.map(({ path, message }) => ({ path: locate(path), message }))
  return new Failure(`Invalid body: ${joinIssues(issues)}`, failure.status, issues)
}
