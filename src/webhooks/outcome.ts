/** Explained in docs/guide/deliveries.md. */
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

export const NOTHING_SENT = [
  'blocked_address',
  'endpoint_removed',
  'secret_undecryptable',
] as const satisfies DeliveryError[]

export type NothingSent = (typeof NOTHING_SENT)[number]

/** Labels of filters. */
export const OUTCOMES = {
  delivered: 'Delivered',
  not_arrived: 'Failed',
  not_sent: 'Not sent',
  under_way: 'Sending',
  failed: 'Failed at least once',
  timeout: 'Timed out',
  unreachable: 'Not reached',
  dns: 'Host not found',
  refused: 'Refused',
  tls: 'TLS failed',
  connection_lost: 'Connection lost',
  blocked_address: 'URL not allowed',
  redirect: 'Redirected',
  http_status: 'HTTP error',
  bot_check: 'Bot check',
  endpoint_removed: 'No webhook',
  secret_undecryptable: 'Secret cannot be decrypted',
  interrupted: 'Interrupted',
} as const satisfies Record<
  DeliveryError | 'delivered' | 'not_arrived' | 'not_sent' | 'under_way' | 'failed',
  string
>

/** `Timed out`, or `HTTP 500`. */
export function nameCause({ error, status }: { error: DeliveryError; status: number | null }): string {
  return error === 'http_status' && status !== null ? `HTTP ${status}` : OUTCOMES[error]
}

/** `status` is null without a response, `error` for a 2xx, and `answerExcerpt` for an empty body. */
export type Outcome = {
  status: number | null
  error: DeliveryError | null
  durationMs: number
  answerExcerpt: string | null
  /** True if the rest of the body was cut, broke off or was too slow. */
  answerTruncated: boolean
  answerHeaders: Record<string, string> | null
}

export function noResponse(error: DeliveryError, durationMs = 0): Outcome {
  return { status: null, error, durationMs, answerExcerpt: null, answerTruncated: false, answerHeaders: null }
}
