/** A request from `If-None-Match` to an answer with a body, or a ContentApiError. */
import { ContentApiError } from './error.ts'
import { tagStore } from './etags.ts'
import { retryAfterMs, wait } from './wait.ts'

export type Fetch = (request: Request) => Promise<Response>

export type TransportOptions = {
  /** Sends the requests; the global `fetch` by default. */
  fetch?: Fetch | undefined
  /** The most that one request waits because of `Retry-After`, 60,000; a longer wait is an error at once. */
  maxWaitMs?: number | undefined
  /** Characters of answers that are kept for their ETags, 2,000,000; 0 for none. */
  cacheSize?: number | undefined
}

/** The shortest pause, so that `Retry-After: 0` is no busy loop. */
const MIN_WAIT_MS = 1_000

export function createTransport({
  fetch = (request) => globalThis.fetch(request),
  maxWaitMs = 60_000,
  cacheSize = 2_000_000,
}: TransportOptions): Fetch {
  const tags = tagStore(cacheSize)

  return async (request) => {
    const isRead = request.method === 'GET'
    const known = isRead ? tags.get(request.url) : undefined
    if (known) request.headers.set('If-None-Match', known.etag)
    for (let waited = 0; ; ) {
      const [response, text] = await exchange(request)
      if (response.status === 304 && known) return answer(known.text, response)
      if (response.ok) {
        const etag = response.headers.get('ETag')
        if (etag && isRead) tags.set(request.url, { etag, text })
        return answer(text, response)
      }
      const retryMs = retryAfterMs(response)
      const pause = Math.max(retryMs ?? Number.POSITIVE_INFINITY, MIN_WAIT_MS)
      if (!isRefusal(response, isRead) || waited + pause > maxWaitMs) throw errorOf(response, text, retryMs)
      waited += pause
      await wait(pause, request.signal)
    }
  }

  async function exchange(request: Request): Promise<[Response, string]> {
    try {
      const response = await fetch(request)
      // Workers warn about text() where the type is not text, as that of NDJSON.
      return [response, new TextDecoder().decode(await response.arrayBuffer())]
    } catch (cause) {
      if (request.signal.aborted) throw request.signal.reason
      throw new ContentApiError(0, 'No answer', { cause })
    }
  }
}

/** Whether the service has done nothing, so that the request may be repeated. */
const isRefusal = ({ status }: Response, isRead: boolean) => status === 429 || (status === 503 && isRead)

/** Of text, since the body of the response has been read. */
function answer(text: string, { headers }: Response): Response {
  return new Response(text, { headers: { Link: headers.get('Link') ?? '' } })
}

function errorOf({ status, headers }: Response, text: string, retryMs: number | null): ContentApiError {
  const requestId = headers.get('X-Request-Id')
  return new ContentApiError(status, messageOf(text) ?? `HTTP ${status}`, {
    retryAfterMs: retryMs,
    requestId,
  })
}

/** The stable text; undefined when something else than the service has answered. */
function messageOf(text: string): string | undefined {
  try {
    const { error } = JSON.parse(text)
    return typeof error === 'string' ? error : undefined
  } catch {
    return undefined
  }
}
