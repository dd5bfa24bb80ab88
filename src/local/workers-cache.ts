/**
 * Workers Cache (https://developers.cloudflare.com/workers/cache/), which the local runtime does not have: the same rules
 * over the Cache API, for one process. It runs in workerd, in front of each entrypoint of the Worker. It does not join
 * equal requests, revalidate, or serve a stale answer.
 */
type Execution = { props?: unknown; waitUntil: (work: Promise<unknown>) => void }
type Answer = (request: Request, env: unknown, execution: ExecutionContext) => Response | Promise<Response>
type Handler = (input: unknown, env: unknown, execution: ExecutionContext) => unknown
type Class<Instance> = new (...args: unknown[]) => Instance

/** Seconds for which Cloudflare keeps an answer that does not say how long. */
const GUESSED_S: Record<number, number> = {
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
const TAG_URL = 'https://tags.workers-cache/'
const STORED_AT = 'X-Stored-At'
const VARIED = 'X-Varied'

/** The default export with the cache in front of `fetch`, and `cache.purge` in the context of every handler. */
export function withWorkersCache<Worker extends object>(worker: Worker): Worker {
  const { fetch, scheduled, queue } = worker as unknown as {
    fetch: Answer
    scheduled: Handler
    queue: Handler
  }
  return {
    fetch: (request: Request, env: unknown, execution: ExecutionContext) =>
      throughCache('default', request, execution, async (asked) => fetch(asked, env, withPurge(execution))),
    scheduled: (controller: unknown, env: unknown, execution: ExecutionContext) =>
      scheduled(controller, env, withPurge(execution)),
    queue: (batch: unknown, env: unknown, execution: ExecutionContext) =>
      queue(batch, env, withPurge(execution)),
  } as unknown as Worker
}

/** An entrypoint's class with the cache in front of `fetch`. */
export function withCacheBefore<Entrypoint extends object>(name: string, Inner: Entrypoint): Entrypoint {
  const Base = Inner as Class<{ ctx: Execution; fetch(request: Request): Promise<Response> }>
  return class extends Base {
    override fetch(request: Request) {
      return throughCache(name, request, this.ctx, (asked) => super.fetch(asked))
    }
  } as unknown as Entrypoint
}

/** Answers from the cache, or stores what `answer` gives. */
export async function throughCache(
  entrypoint: string,
  request: Request,
  execution: Execution,
  answer: (request: Request) => Promise<Response>,
): Promise<Response> {
  if (!['GET', 'HEAD'].includes(request.method)) return answer(request)
  const cache = await openCache()
  const key = await keyOf(entrypoint, request, execution.props)
  const hit = await cache.match(key)
  if (hit && isFor(request, hit) && !(await isPurged(cache, hit))) return sentFrom(hit, request)
  await hit?.body?.cancel()
  const response = await answer(request)
  const seconds = storedFor(request, response)
  if (seconds === 0 || request.method === 'HEAD') return response
  const [sent, kept] = response.body?.tee() ?? [null, null]
  const stored = new Response(kept, response)
  stored.headers.set('Cache-Control', `${response.headers.get('Cache-Control') ?? `max-age=${seconds}`}`)
  stored.headers.set(STORED_AT, String(Date.now()))
  stored.headers.set(VARIED, variedHeaders(request, response))
  // An answer that breaks off is not stored.
  execution.waitUntil(cache.put(key, stored).catch(() => {}))
  return new Response(sent, response)
}

function sentFrom(hit: Response, { method }: Request): Response {
  const response = new Response(method === 'HEAD' ? null : hit.body, hit)
  for (const name of [STORED_AT, VARIED]) response.headers.delete(name)
  return response
}

/** Seconds; 0 if the answer must not be stored. */
export function storedFor(request: Request, response: Response): number {
  if (response.headers.has('Set-Cookie') || response.status === 206 || response.status === 304) return 0
  const header = response.headers.get('Cache-Control')
  if (header === null) return request.headers.has('Authorization') ? 0 : (GUESSED_S[response.status] ?? 0)
  const directives = header.toLowerCase().split(/\s*,\s*/)
  if (directives.some((each) => ['private', 'no-store', 'no-cache'].includes(each))) return 0
  const isShared = directives.some((each) => /^(public|must-revalidate|s-maxage=.*)$/.test(each))
  if (request.headers.has('Authorization') && !isShared) return 0
  const age = directives.map((each) => /^(?:s-maxage|max-age)=(\d+)$/.exec(each)?.[1])
  return Number(age.find((each) => each !== undefined) ?? 0)
}

/** The entrypoint, path, query and props. Not the host. */
async function keyOf(entrypoint: string, request: Request, props: unknown): Promise<string> {
  const { pathname, search } = new URL(request.url)
  const text = new TextEncoder().encode(JSON.stringify([entrypoint, pathname, search, props ?? {}]))
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', text))
  return `https://answers.workers-cache/${Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}

/** The request's headers that `Vary` names. Of several variants only the last one is kept. */
function variedHeaders(request: Request, response: Response): string {
  const names =
    response.headers
      .get('Vary')
      ?.toLowerCase()
      .split(/\s*,\s*/) ?? []
  const { host } = new URL(request.url)
  return JSON.stringify(names.map((name) => (name === 'host' ? host : request.headers.get(name))))
}

function isFor(request: Request, hit: Response): boolean {
  return hit.headers.get(VARIED) === variedHeaders(request, hit)
}

const openCache = () => caches.open('workers-cache')

const tagsOf = (response: Response) => response.headers.get('Cache-Tag')?.split(/\s*,\s*/) ?? []

/** Whether one of the answer's tags was purged after it was stored. */
async function isPurged(cache: Cache, response: Response): Promise<boolean> {
  const storedAt = Number(response.headers.get(STORED_AT))
  for (const tag of tagsOf(response)) {
    const purgedAt = await (await cache.match(TAG_URL + encodeURIComponent(tag)))?.text()
    if (purgedAt && Number(purgedAt) >= storedAt) return true
  }
  return false
}

function withPurge(execution: ExecutionContext): ExecutionContext {
  const cache = {
    async purge({ tags = [] }: CachePurgeOptions) {
      const store = await openCache()
      for (const tag of tags) {
        const headers = { 'Cache-Control': 'public, max-age=31536000' }
        await store.put(TAG_URL + encodeURIComponent(tag), new Response(String(Date.now()), { headers }))
      }
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
