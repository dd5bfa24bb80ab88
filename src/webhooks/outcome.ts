/** Outcomes of a delivery attempt. */

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
  'bot_check',
  'endpoint_removed',
  'secret_undecryptable',
  'interrupted',
] as const

export type DeliveryError = (typeof deliveryErrors)[number]

/** The errors of an attempt that sent nothing. */
export const NOTHING_SENT = [
  'blocked_address',
  'endpoint_removed',
  'secret_undecryptable',
] as const satisfies DeliveryError[]

export type NothingSent = (typeof NOTHING_SENT)[number]

/** The labels of filters. An event has not arrived if no attempt arrived and the last one failed. */
export const OUTCOMES = {
  delivered: 'Arrived',
  not_arrived: 'Not arrived',
  not_sent: 'Not sent',
  under_way: 'Under way',
  failed: 'Failed at least once',
  timeout: 'Timed out',
  unreachable: 'Not reached',
  dns: 'Host not found',
  refused: 'Refused',
  tls: 'TLS failed',
  connection_lost: 'Connection lost',
  blocked_address: 'URL not allowed',
  redirect: 'Redirected',
  http_status: 'Answered with an error',
  bot_check: 'Bot check',
  endpoint_removed: 'No webhook',
  secret_undecryptable: 'Secret cannot be decrypted',
  interrupted: 'Interrupted',
} as const satisfies Record<
  DeliveryError | 'delivered' | 'not_arrived' | 'not_sent' | 'under_way' | 'failed',
  string
>

/** `Timed out`, or `Answered 500`. */
export function nameCause({ error, status }: { error: DeliveryError; status: number | null }): string {
  return error === 'http_status' && status !== null ? `Answered ${status}` : OUTCOMES[error]
}

/** `status` is null without a response, `error` for a 2xx of the receiver, and the excerpt, the start of the body, if the body is empty. */
export type Outcome = {
  status: number | null
  error: DeliveryError | null
  durationMs: number
  answerExcerpt: string | null
  /** The excerpt is not all of the response body: the rest was left out, broke off, or came too slowly. */
  answerTruncated: boolean
  answerHeaders: Record<string, string> | null
}

/** The outcome of an attempt that got no response, or sent nothing. */
export function noResponse(error: DeliveryError, durationMs = 0): Outcome {
  return { status: null, error, durationMs, answerExcerpt: null, answerTruncated: false, answerHeaders: null }
}
