/** Everything that can be refused, by code. The HTTP door maps a code to its status and its stable text. */
export type ErrorCode =
  | 'invalid_query'
  | 'invalid_body'
  | 'webhook_url_missing'
  | 'api_key_refused'
  | 'operator_refused'
  | 'cross_site'
  | 'training_disabled'
  | 'post_missing'
  | 'guide_missing'
  | 'site_missing'
  | 'key_missing'
  | 'webhook_missing'
  | 'event_missing'
  | 'delivery_missing'
  | 'not_found'
  | 'method_not_allowed'
  | 'conflict'
  | 'cursor_expired'
  | 'body_too_large'
  | 'quota_exceeded'

/** A refusal that the caller may see. `detail` is shown for the codes whose text depends on the input. */
export class AppError extends Error {
  readonly code: ErrorCode
  readonly detail: string | undefined

  constructor(code: ErrorCode, detail?: string) {
    super(detail ?? code)
    this.name = 'AppError'
    this.code = code
    this.detail = detail
  }
}
