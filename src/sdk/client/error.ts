/** The one error of the client. */

export class ContentApiError extends Error {
  override readonly name = 'ContentApiError'
  /** The HTTP status; 0 when there was no answer, and then `cause` says why. */
  readonly status: number
  /** How long the service asked to wait; null when it did not. */
  readonly retryAfterMs: number | null
  /** Of the request, for the operator's log. */
  readonly requestId: string | null

  /** `message` is the stable text of the API. */
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
