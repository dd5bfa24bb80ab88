/** `functions/http/errors.ts` maps each code to its status and stable text. */
export type ErrorCode =
  | 'invalid_query'
  | 'invalid_body'
  | 'webhook_url_missing'
  | 'api_key_refused'
  | 'operator_refused'
  | 'credential_refused'
  | 'role_required'
  | 'not_an_operator'
  | 'cross_site'
  | 'training_disabled'
  | 'post_not_found'
  | 'guide_not_found'
  | 'site_not_found'
  | 'site_being_deleted'
  | 'key_not_found'
  | 'webhook_not_found'
  | 'sitemap_not_published'
  | 'event_not_found'
  | 'delivery_not_found'
  | 'resend_not_found'
  | 'training_row_not_found'
  | 'redirect_not_found'
  | 'operator_not_found'
  | 'token_not_found'
  | 'session_not_found'
  | 'preview_link_not_found'
  | 'not_found'
  | 'method_not_allowed'
  | 'slug_taken'
  | 'not_a_draft'
  | 'published_already'
  | 'changes_requested'
  | 'draft_not_quality_checked'
  | 'key_exists'
  | 'token_exists'
  | 'preview_link_exists'
  | 'operator_exists'
  | 'last_admin'
  | 'operator_has_access'
  | 'schedules_undecided'
  | 'secret_rotated'
  | 'changed_meanwhile'
  | 'too_many_webhooks'
  | 'event_under_way'
  | 'post_not_yet_visible'
  | 'cursor_expired'
  | 'body_too_large'
  | 'quota_exceeded'
  | 'too_many_attempts'
  | 'too_many_tests'
  | 'under_maintenance'

/** `{ path: 'posts[3].slug', message: 'is required' }`. '' is the whole input. */
export type Issue = { path: string; message: string }

export function joinIssues(issues: readonly Issue[]): string {
  return issues.map(({ path, message }) => `${path} ${message}`.trim()).join('; ')
}

export function orNull<Value>(value: Promise<Value>, ...codes: ErrorCode[]): Promise<Value | null> {
  return value.catch((error) => {
    if (error instanceof AppError && codes.includes(error.code)) return null
    throw error
  })
}

/** Safe to show to clients. `issues` is set for codes whose text depends on the input. */
export class AppError extends Error {
  readonly code: ErrorCode
  readonly issues: readonly Issue[]

  constructor(code: ErrorCode, ...issues: Issue[]) {
    super(joinIssues(issues) || code)
    this.name = 'AppError'
    this.code = code
    this.issues = issues
  }
}
