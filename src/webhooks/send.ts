/** One POST to a receiver, and a name for whatever comes of it. */
import { connect } from 'cloudflare:sockets'

const TIMEOUT_MS = 8_000
const ANSWER_BYTES = 64 * 1024
const EXCERPT_BYTES = 1_024
const EXCERPT_WAIT_MS = 500
const PROBE_TIMEOUT_MS = 2_000
const REDIRECTS = new Set([301, 302, 303, 307, 308])

export const failures = [
  'timeout',
  'dns',
  'refused',
  'tls',
  'connection_lost',
  'blocked_address',
  'redirect',
  'http_status',
] as const

type Failure = (typeof failures)[number]

/** `status` is null when no answer came; `error` is null for a 2xx; the excerpt is null when the answer was empty. */
export type Outcome = {
  status: number | null
  error: Failure | null
  durationMs: number
  answerExcerpt: string | null
}

/** What Cloudflare answers itself when a receiver cannot be reached from its network. */
const EDGE_FAILURES: Record<number, Failure> = {
  521: 'refused',
  522: 'timeout',
  523: 'refused',
  524: 'timeout',
  525: 'tls',
  526: 'tls',
  530: 'dns',
}

/**
 * Sends `body` once, within 8 s, following no redirect and reading at most 64 KiB of the answer. Never throws.
 *
 * @returns the outcome, half a second after the status at the latest, and `rest`, the reading of what is left
 */
export async function postEvent(
  request: typeof fetch,
  url: string,
  headers: Record<string, string>,
  body: Uint8Array,
): Promise<{ outcome: Outcome; rest: Promise<void> }> {
  const started = Date.now()
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  try {
    const answer = await request(url, { method: 'POST', headers, body, redirect: 'manual', signal })
    const durationMs = Date.now() - started
    const excerpt = createExcerpt()
    const rest = readSome(answer, excerpt.add)
    await Promise.race([rest, new Promise((resolve) => setTimeout(resolve, EXCERPT_WAIT_MS))])
    const { status } = answer
    return { outcome: { status, error: failureOf(answer), durationMs, answerExcerpt: excerpt.text() }, rest }
  } catch (error) {
    const durationMs = Date.now() - started
    const failure = signal.aborted ? 'timeout' : await diagnose(new URL(url), String(error))
    return { outcome: unanswered(failure, durationMs), rest: Promise.resolve() }
  }
}

/** The outcome of an attempt that got no answer, or was never made. */
export function unanswered<Reason>(error: Reason, durationMs = 0) {
  return { status: null, error, durationMs, answerExcerpt: null }
}

function failureOf(answer: Response): Failure | null {
  if (answer.ok) return null
  if (REDIRECTS.has(answer.status)) return 'redirect'
  const edge = answer.headers.get('server') === 'cloudflare' ? EDGE_FAILURES[answer.status] : undefined
  return edge ?? 'http_status'
}

/** Lets a receiver finish its answer, as far as anybody would read it. What goes wrong here changes nothing. */
async function readSome(answer: Response, take: (chunk: Uint8Array) => void): Promise<void> {
  const reader = answer.body?.getReader()
  try {
    for (let bytes = 0; bytes < ANSWER_BYTES; ) {
      const chunk = await reader?.read()
      if (!chunk || chunk.done) return
      take(chunk.value)
      bytes += chunk.value.length
    }
  } catch {
    // The status has arrived; the rest of the answer is not needed.
  } finally {
    await reader?.cancel().catch(() => {})
  }
}

function createExcerpt() {
  const decoder = new TextDecoder()
  let text = ''
  let room = EXCERPT_BYTES
  return {
    add(chunk: Uint8Array) {
      // A character that the limit cuts stays in the decoder.
      text += decoder.decode(chunk.subarray(0, room), { stream: true })
      room = Math.max(0, room - chunk.length)
    },
    // Postgres keeps no NUL.
    text: () => text.replaceAll('\0', '\ufffd') || null,
  }
}

/**
 * The runtime has two messages for four failures. Whether the port takes a connection tells them apart: a lost
 * connection to a closed port was refused, an inner error before an open port was TLS, otherwise the name.
 */
async function diagnose(url: URL, message: string): Promise<Failure> {
  const open = await takesConnections(url)
  const lost = message.includes('Network connection lost')
  if (lost || (open && url.protocol === 'http:')) return open ? 'connection_lost' : 'refused'
  return open ? 'tls' : 'dns'
}

async function takesConnections(url: URL): Promise<boolean> {
  try {
    const port = Number(url.port) || (url.protocol === 'http:' ? 80 : 443)
    const socket = connect({ hostname: url.hostname, port })
    const timeout = new Promise<never>((_, reject) => setTimeout(reject, PROBE_TIMEOUT_MS))
    await Promise.race([socket.opened, timeout])
    await socket.close()
    return true
  } catch {
    return false
  }
}
