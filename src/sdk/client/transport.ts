import { ContentApiError } from './error.ts'
import { tagStore } from './etags.ts'
import { retryAfterMs, wait } from './wait.ts'

export type Fetch = (request: Request) => Promise<Response>

export type TransportOptions = {
  fetch?: Fetch | undefined
  /** Longest wait for one request because of `Retry-After`, 60,000 by default; a longer one is an error at once. */
  maxWaitMs?: number | undefined
  /** Characters of responses cached by ETag, 2,000,000 by default; 0 for none. */
  cacheSize?: number | undefined
}

/** Keeps `Retry-After: 0` from causing a busy loop. */
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
      // Workers warn about text() when the type is not text, for example NDJSON.
      return [response, new TextDecoder().decode(await response.arrayBuffer())]
    } catch (cause) {
      if (request.signal.aborted) throw request.signal.reason
      throw new ContentApiError(0, 'No answer', { cause })
    }
  }
}

/** True if the service has done nothing, so that a retry is safe. */
const isRefusal = ({ status }: Response, isRead: boolean) => status === 429 || (status === 503 && isRead)

/** A new response, since the body of the first has been read. */
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

/** The API's text; undefined if something other than the service responded. */
function messageOf(text: string): string | undefined {
  try {
    const { error } = JSON.parse(text)
    return typeof error === 'string' ? error : undefined
  } catch {
    return undefined
  }
}
