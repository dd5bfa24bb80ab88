/**
 * The model's readers: isolates that each answer requests for a post in sequence. An isolate's memory between two requests
 * is a value. Isolates share the world.
 */
import { Hono } from 'hono'
import { post } from '../../functions/api/posts.ts'
import { withContext } from '../../functions/http/context.ts'
import type { Env } from '../../functions/http/env.ts'
import { onError } from '../../functions/http/errors.ts'
import { serveRead } from '../../functions/http/read.ts'
import { generateKey } from '../../src/access/keys.ts'
import { LruCache } from '../../src/cache/lru-cache.ts'
import type { CachedBody } from '../../src/caches.ts'
import type { Isolate, Program } from './actor.ts'

export const SITE = '00000000-0000-4000-8000-000000000001'
export const KEY_ID = '00000000-0000-4000-8000-000000000002'
export const KEY = generateKey()

/** The caches of an isolate, and the representation that its client has. */
export type Memory = { caches: Record<string, unknown>; client: Representation | null }

/** A tag's content version, null for the tag of a single answer, and the body's version, which is in the post's title. */
type Representation = { etag: string; tagged: number | null; content: number }

/** `served` is the client's representation after the response. Null after a refusal or failure. */
export type Answered = {
  status: number
  served: Representation | null
  memory: Memory
  cached: Representation[]
}

/** A client that sends its tag makes a different request. */
export type Request = 'plain' | 'conditional'

export const EMPTY: Memory = { caches: {}, client: null }

export type PostLoader = typeof post.load

const POST = { slug: 'a', include: [], fields: null }

/** `prepare` makes the loader when a request starts. */
export function reader(
  memory: Memory,
  request: Request,
  prepare: (isolate: Isolate) => Promise<PostLoader> = async () => post.load,
): Program<Answered> {
  return {
    name: 'reader',
    async run(isolate) {
      const resource = { ...post, load: await prepare(isolate) }
      const app = new Hono<Env>()
        .use(withContext)
        .get('/sites/:siteId/posts/a', (c) => serveRead(c, resource, POST))
        .onError(onError)
      const execution = { waitUntil() {}, passThroughOnException() {}, props: {} }
      const caches = remember(isolate, memory.caches)
      const headers: Record<string, string> = { Authorization: `Bearer ${KEY}` }
      if (request === 'conditional' && memory.client) headers['If-None-Match'] = memory.client.etag
      const url = `https://api.invalid/sites/${SITE}/posts/a`
      const response = await app.request(url, { headers }, isolate.bindings, execution as never)
      const body = await response.text()
      const served =
        response.status === 200
          ? representation(response.headers.get('ETag')!, body)
          : response.status === 304
            ? memory.client
            : null
      const after = caches()
      return {
        status: response.status,
        served,
        memory: { caches: after, client: served ?? memory.client },
        cached: Object.entries(after).flatMap(([key, value]) =>
          key.startsWith('bodies ') ? [representation(...(value as KeptBody))] : [],
        ),
      }
    },
  }
}

/**
 * Fills the isolate's caches.
 * @returns a function that reads them, as JSON
 */
function remember({ caches }: Isolate, memory: Memory['caches']): () => Memory['caches'] {
  const kept = new Map<string, unknown>()
  for (const [name, cache] of Object.entries(caches)) {
    if (!(cache instanceof LruCache)) continue
    const own = { set: cache.set.bind(cache), delete: cache.delete.bind(cache) }
    cache.set = (key: string, value: unknown) => {
      // It deletes the answer that it replaces.
      own.set(key, value as never)
      kept.set(`${name} ${key}`, value)
    }
    cache.delete = (key: string) => {
      kept.delete(`${name} ${key}`)
      own.delete(key)
    }
  }
  for (const [at, value] of Object.entries(memory)) {
    const name = at.slice(0, at.indexOf(' ')) as 'auths'
    caches[name].set(
      at.slice(name.length + 1),
      (at.startsWith('bodies ') ? cachedBody(...(value as KeptBody)) : structuredClone(value)) as never,
    )
  }
  return () =>
    Object.fromEntries(
      [...kept]
        .map(
          ([key, value]) =>
            [
              key,
              key.startsWith('bodies ') ? keptBody(value as CachedBody) : structuredClone(value),
            ] as const,
        )
        .toSorted(([a], [b]) => (a < b ? -1 : 1)),
    )
}

type KeptBody = [etag: string, body: string]

const keptBody = ({ etag, body }: CachedBody): KeptBody => [etag, new TextDecoder().decode(body)]

const cachedBody = (etag: string, body: string): CachedBody => ({
  body: new Uint8Array(new TextEncoder().encode(body)),
  totalPages: null,
  etag,
})

function representation(etag: string, body: string): Representation {
  const version = /^W\/"(\w+)-[0-9a-f]{16}"$/.exec(etag)?.[1]
  // Unique values are equal to the search.
  return {
    etag: version ? etag : 'W/"unique"',
    tagged: version ? Number.parseInt(version, 36) : null,
    content: titled(body),
  }
}

/** The content version that the title of the post names. */
export function titled(body: string): number {
  return Number(/"title":"v(\d+)"/.exec(body)![1])
}
