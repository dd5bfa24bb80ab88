export class ContentApiError extends Error {
  override readonly name = 'ContentApiError'
  /** HTTP status; 0 if there was no response, and `cause` has the reason. */
  readonly status: number
  /** From `Retry-After`; null without it. */
  readonly retryAfterMs: number | null
  /** Id to give to the operator, who finds the request in the log by it. */
  readonly requestId: string | null

  constructor(
    status: number,
    message: string,
    { retryAfterMs = null, requestId = null, cause }: ErrorDetails = {},
  ) {
    super(message, cause === undefined ? {} : { cause })
    this.status = status
    this.retryAfterMs = retryAfterMs
    this.requestId = requestId
  }
}

type ErrorDetails = { retryAfterMs?: number | null; requestId?: string | null; cause?: unknown }
