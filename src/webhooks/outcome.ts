/** What can become of a delivery attempt. */

/** Why an attempt failed: a closed set, explained in docs/guide/webhooks.md. */
export const deliveryErrors = [
  'timeout',
  'unreachable',
  'dns',
  'refused',
  'tls',
  'connection_lost',
  'blocked_address',
  'redirect',
  'http_status',
  'endpoint_removed',
  'interrupted',
] as const

export type DeliveryError = (typeof deliveryErrors)[number]

/** `status` is null without a response, `error` for a 2xx, and the excerpt for an empty response body, of which it is the start. */
export type Outcome = {
  status: number | null
  error: DeliveryError | null
  durationMs: number
  answerExcerpt: string | null
  /** Whether the excerpt is not all of the response body: it went on, broke off, or came too slowly. */
  answerTruncated: boolean
  answerHeaders: Record<string, string> | null
}

/** The outcome of an attempt that got no response, or sent nothing. */
export function noResponse(error: DeliveryError, durationMs = 0): Outcome {
  return { status: null, error, durationMs, answerExcerpt: null, answerTruncated: false, answerHeaders: null }
}
