/**
 * Workers Cache (https://developers.cloudflare.com/workers/cache/), which the local runtime does not have: the same rules,
 * in memory, in front of the Worker in workerd. It does not join equal requests, revalidate, or serve stale answers.
 */
import { LruCache } from '../cache/lru-cache.ts'

type Execution = { props?: unknown; waitUntil: (work: Promise<unknown>) => void }
type Answer = (request: Request, env: unknown, execution: ExecutionContext) => Response | Promise<Response>
type Handler = (input: unknown, env: unknown, execution: ExecutionContext) => unknown

/** Cloudflare's default TTLs for answers without one. */
const DEFAULT_TTL_S: Record<number, number> = {
  200: 7_200,
  203: 7_200,
  300: 7_200,
  301: 1_200,
  302: 1_200,
  303: 180,
  404: 180,
  405: 60,
  410: 180,
  501: 60,
}
const MIB = 1024 * 1024

type Entry = {
  status: number
  headers: Headers
  body: ArrayBuffer
  tags: string[]
  varied: string
  until: number
}

const entries = new LruCache<Entry>(64 * MIB, ({ body }) => body.byteLength)
const pending = new Set<{ tags: string[]; isPurged: boolean }>()

/** Puts the cache in front of `fetch`, and `cache.purge` into the context of every handler. */
export function withWorkersCache<Worker extends object>(worker: Worker): Worker {
  const { fetch, scheduled, queue } = worker as unknown as {
    fetch: Answer
    scheduled: Handler
    queue: Handler
  }
  return {
    fetch: (request: Request, env: unknown, execution: ExecutionContext) =>
      throughCache(request, execution, async (asked) => fetch(asked, env, withPurge(execution))),
    scheduled: (controller: unknown, env: unknown, execution: ExecutionContext) =>
      scheduled(controller, env, withPurge(execution)),
    queue: (batch: unknown, env: unknown, execution: ExecutionContext) =>
      queue(batch, env, withPurge(execution)),
  } as unknown as Worker
}

export async function throughCache(
  request: Request,
  execution: Execution,
  answer: (request: Request) => Promise<Response>,
): Promise<Response> {
  if (!['GET', 'HEAD'].includes(request.method)) return answer(request)
  const key = keyOf(request, execution.props)
  const hit = entries.get(key)
  if (hit && hit.until > Date.now() && hit.varied === variedHeaders(request, hit.headers)) {
    const { status, headers } = hit
    if (isUnchanged(request, headers)) return new Response(null, { status: 304, headers })
    return new Response(request.method === 'HEAD' ? null : hit.body, { status, headers })
  }
  const response = await answer(request)
  const seconds = storedFor(request, response)
  if (seconds === 0 || request.method === 'HEAD') return response
  const [sent, kept] = response.body?.tee() ?? [null, null]
  execution.waitUntil(store(key, request, new Response(kept, response), seconds))
  return new Response(sent, response)
}

/** Does not store an incomplete answer, or one that was purged while it was made. */
async function store(key: string, request: Request, response: Response, seconds: number): Promise<void> {
  const { status, headers } = response
  const tags = headers.get('Cache-Tag')?.split(/\s*,\s*/) ?? []
  const storing = { tags, isPurged: false }
  pending.add(storing)
  const body = await bytesOf(response.body).catch(() => null)
  pending.delete(storing)
  if (body === null || storing.isPurged) return
  const varied = variedHeaders(request, headers)
  entries.set(key, { status, headers, body, tags, varied, until: Date.now() + seconds * 1_000 })
}

async function bytesOf(body: ReadableStream<Uint8Array<ArrayBuffer>> | null): Promise<ArrayBuffer | null> {
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let length = 0
  for await (const chunk of body ?? []) {
    length += chunk.length
    if (length > entries.maxEntryBytes) return null
    chunks.push(chunk)
  }
  return new Blob(chunks).arrayBuffer()
}

/** Seconds; 0 if the answer must not be stored. */
export function storedFor(request: Request, response: Response): number {
  if (response.headers.has('Set-Cookie') || response.status === 206 || response.status === 304) return 0
  const header = response.headers.get('Cache-Control')
  if (header === null) return request.headers.has('Authorization') ? 0 : (DEFAULT_TTL_S[response.status] ?? 0)
  const directives = header.toLowerCase().split(/\s*,\s*/)
  if (directives.some((each) => ['private', 'no-store', 'no-cache'].includes(each))) return 0
  const isShared = directives.some((each) => /^(public|must-revalidate|s-maxage=.*)$/.test(each))
  if (request.headers.has('Authorization') && !isShared) return 0
  const age = directives.map((each) => /^(?:s-maxage|max-age)=(\d+)$/.exec(each)?.[1])
  return Number(age.find((each) => each !== undefined) ?? 0)
}

/** Weak comparison (https://www.rfc-editor.org/rfc/rfc9110#section-13.1.2). */
function isUnchanged(request: Request, headers: Headers): boolean {
  const opaque = (tag: string) => tag.trim().replace(/^W\//, '')
  const known = request.headers.get('If-None-Match')?.split(',').map(opaque) ?? []
  const etag = headers.get('ETag')
  return known.includes('*') || (etag !== null && known.includes(opaque(etag)))
}

/** The host is not part of the key. */
function keyOf(request: Request, props: unknown): string {
  const { pathname, search } = new URL(request.url)
  return JSON.stringify([pathname, search, props ?? {}])
}

/** Headers that `Vary` names. Only the last variant is kept. */
function variedHeaders(request: Request, headers: Headers): string {
  const names =
    headers
      .get('Vary')
      ?.toLowerCase()
      .split(/\s*,\s*/) ?? []
  const { host } = new URL(request.url)
  return JSON.stringify(names.map((name) => (name === 'host' ? host : request.headers.get(name))))
}

function withPurge(execution: ExecutionContext): ExecutionContext {
  const cache = {
    async purge({ tags = [] }: CachePurgeOptions) {
      const isNamed = (own: { tags: string[] }) => tags.some((tag) => own.tags.includes(tag))
      entries.deleteWhere(isNamed)
      for (const each of pending) each.isPurged ||= isNamed(each)
      return { success: true, errors: [] }
    },
  }
  return {
    cache,
    props: execution.props,
    exports: execution.exports,
    waitUntil: (work: Promise<unknown>) => execution.waitUntil(work),
    passThroughOnException: () => execution.passThroughOnException(),
  } as unknown as ExecutionContext
}
