/** Sends the POST to a receiver and classifies the result. */
import { BOT_CHECK_HEADERS, findBotCheck } from './bot-checks.ts'
import { type DeliveryError, noResponse, type Outcome } from './outcome.ts'

const TIMEOUT_MS = 8_000
const MAX_RESPONSE_BYTES = 64 * 1024
const EXCERPT_BYTES = 1_024
const EXCERPT_TIMEOUT_MS = 500
/** The longest time until `postEvent` has an outcome. */
export const MAX_POST_MS = TIMEOUT_MS + EXCERPT_TIMEOUT_MS
/** Response headers that help to debug. Others may contain secrets, such as cookies. */
const KEPT_HEADERS = new Set([
  'location',
  'content-type',
  'content-length',
  'retry-after',
  'allow',
  'www-authenticate',
  'server',
  'date',
  'x-request-id',
  'cf-ray',
  ...BOT_CHECK_HEADERS,
])
const MAX_HEADER_LENGTH = 500
const REDIRECTS = new Set([301, 302, 303, 307, 308])

/** Cloudflare's statuses for an unreachable origin. */
const CLOUDFLARE_ERRORS: Record<number, DeliveryError> = {
  521: 'refused',
  522: 'timeout',
  523: 'refused',
  524: 'timeout',
  525: 'tls',
  526: 'tls',
  530: 'dns',
}

/**
 * POSTs once within 8 s, follows no redirects and reads at most 64 KiB of the response. Never throws.
 *
 * @returns the outcome, at most half a second after the status; `drained` resolves when the body has been read
 */
export async function postEvent(
  request: typeof fetch,
  url: string,
  headers: Record<string, string>,
  body: Uint8Array,
): Promise<{ outcome: Outcome; drained: Promise<void> }> {
  const started = Date.now()
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  try {
    const response = await request(url, { method: 'POST', headers, body, redirect: 'manual', signal })
    const durationMs = Date.now() - started
    const excerpt = createExcerpt()
    const drained = drain(response, excerpt)
    await Promise.race([drained, new Promise((resolve) => setTimeout(resolve, EXCERPT_TIMEOUT_MS))])
    const { status } = response
    const answerExcerpt = excerpt.text()
    const error = classifyStatus(response, answerExcerpt)
    const answerTruncated = excerpt.isTruncated()
    const answerHeaders = keepHeaders(response.headers)
    return { outcome: { status, error, durationMs, answerExcerpt, answerTruncated, answerHeaders }, drained }
  } catch (error) {
    const durationMs = Date.now() - started
    const failure = signal.aborted ? 'timeout' : classifyFailure(String(error))
    return { outcome: noResponse(failure, durationMs), drained: Promise.resolve() }
  }
}

/** A bot check may respond with 2xx although the receiver got nothing. */
function classifyStatus(response: Response, excerpt: string | null): DeliveryError | null {
  const { status, headers } = response
  if (findBotCheck({ status, header: (name) => headers.get(name) }, excerpt)) return 'bot_check'
  if (response.ok) return null
  if (REDIRECTS.has(status)) return 'redirect'
  const isCloudflare = headers.get('server') === 'cloudflare'
  return (isCloudflare && CLOUDFLARE_ERRORS[status]) || 'http_status'
}

/** Reads the body up to the limit, so that the receiver can finish sending. Ignores errors. */
async function drain(response: Response, excerpt: ReturnType<typeof createExcerpt>): Promise<void> {
  const reader = response.body?.getReader()
  try {
    for (let bytes = 0; bytes < MAX_RESPONSE_BYTES; ) {
      const chunk = await reader?.read()
      if (!chunk || chunk.done) return excerpt.end()
      excerpt.add(chunk.value)
      bytes += chunk.value.length
    }
  } catch {
    // Only the status counts, and it has arrived.
  } finally {
    await reader?.cancel().catch(() => {})
  }
}

function keepHeaders(headers: Headers): Record<string, string> | null {
  const kept = [...KEPT_HEADERS].flatMap((name) => {
    const value = headers.get(name)
    return value === null ? [] : [[name, cutHeader(value)]]
  })
  return kept.length > 0 ? Object.fromEntries(kept) : null
}

function cutHeader(value: string): string {
  const cut = value.length > MAX_HEADER_LENGTH ? `${value.slice(0, MAX_HEADER_LENGTH - 1)}…` : value
  // Postgres jsonb refuses NUL and half characters, which a cut may leave.
  return cut.toWellFormed().replaceAll('\0', '\ufffd')
}

function createExcerpt() {
  const decoder = new TextDecoder()
  let text = ''
  let room = EXCERPT_BYTES
  let isWhole = false
  let isFull = false
  return {
    add(chunk: Uint8Array) {
      // A streaming decoder holds back a character that the limit splits.
      text += decoder.decode(chunk.subarray(0, room), { stream: true })
      isFull ||= chunk.length > room
      room = Math.max(0, room - chunk.length)
    },
    /** Not called if the body breaks off or is too slow. */
    end() {
      isWhole = !isFull
    },
    // Postgres text cannot contain NUL.
    text: () => text.replaceAll('\0', '\ufffd') || null,
    isTruncated: () => !isWhole,
  }
}

/**
 * workerd calls a refused connection "connection lost", too, and DNS, TLS and HTTP problems "internal error". A TCP probe would
 * not help, because Cloudflare blocks sockets to its own addresses, where many receivers are.
 */
function classifyFailure(message: string): DeliveryError {
  return message.includes('Network connection lost') ? 'connection_lost' : 'unreachable'
}
