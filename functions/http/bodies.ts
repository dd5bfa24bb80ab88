/**
 * Where the body of a read comes from: the cache of the isolate, then Cloudflare's Cache API, which a data centre shares, then
 * Postgres. Keys contain version and format, so no entry needs a purge.
 */
import type { CachedBody, ConfirmedAuth, LoadedBody } from '../../src/caches.ts'
import type { Context } from '../../src/context.ts'
import type { ContentScope } from '../../src/db/site-scope.ts'
import { toBytes } from './stream.ts'

/** Detects truncated bodies. */
export const LENGTH = 'X-Length'
const TOTAL_PAGES = 'X-Total-Pages'
/** Deployments keep the cache, so this bounds how long a wrong body can live. */
const MAX_AGE_S = 86_400

type Rendered = { body: string | AsyncIterable<string> }
/** `totalPages` becomes the `Link` header. */
type Loaded = Rendered & { totalPages?: number }

export type Loader<Result extends Rendered = Loaded> = (ctx: Context, site: ContentScope) => Promise<Result>

/** A burst shares a load that starts after its requests. A stream has one reader, so the others load it again. */
export async function loadOnce(
  ctx: Context,
  key: string,
  load: () => Promise<LoadedBody>,
): Promise<LoadedBody> {
  const { bodies, loads } = ctx.caches
  let own: LoadedBody | undefined
  const lead = async () => {
    own = bodies.get(key) ?? (await load())
    return isCacheable(own) ? own : null
  }
  return (await loads.share(key, lead, ctx.defer)) ?? own ?? load()
}

const isCacheable = (loaded: LoadedBody): loaded is CachedBody => !(loaded.body instanceof ReadableStream)

/** From the shared cache or Postgres. Caches a body only if Postgres read it at this version, because a write may come in between. */
export async function loadBody(
  ctx: Context,
  requested: string,
  auth: ConfirmedAuth,
  { version, key, etag, load }: { version: number; key: string; etag: string; load: Loader },
): Promise<LoadedBody> {
  const url = sharedUrl(requested, `${key} ${etag}`)
  const keep = (whole: CachedBody) => {
    ctx.caches.bodies.set(key, whole)
    return whole
  }
  const shared = await findSharedBody(url)
  if (shared) return keep({ ...shared, etag })
  const { loaded, body, isOfVersion } = await readAtVersion(ctx, auth, version, load)
  const { totalPages = null } = loaded
  if (!isOfVersion) return { body, totalPages, etag: uniqueTag() }
  if (body instanceof ReadableStream) return { body, totalPages, etag: tagOfStream(etag) }
  ctx.defer(shareBody(url, { body, totalPages }))
  return keep({ body, totalPages, etag })
}

const uniqueTag = () => `W/"${crypto.randomUUID()}"`

/** A unique tag that still matches `etag`. */
const tagOfStream = (etag: string) => etag.replace(/"$/, `-${crypto.randomUUID().slice(0, 8)}"`)

/** Streams a body too large to cache. `isOfVersion`: every statement so far read at `version`. @throws what `loader` throws */
export async function readAtVersion<Result extends Rendered>(
  ctx: Context,
  auth: ConfirmedAuth,
  version: number,
  loader: Loader<Result>,
) {
  const versionsRead: unknown[] = []
  const noteVersionRead = (each: unknown) => void versionsRead.push(each)
  const site = { ...auth.site, contentVersion: version }
  const loaded = await loader({ ...ctx, noteVersionRead }, site)
  const body = await toBytes(loaded.body, ctx.caches.bodies.maxEntryBytes)
  const isOfVersion = versionsRead.length > 0 && versionsRead.every((each) => Number(each) === version)
  return { loaded, body, isOfVersion }
}

type SharedBody = Pick<CachedBody, 'body' | 'totalPages'>

/** The Cache API requires the Worker's own host. `name` contains everything that the body depends on. */
const sharedUrl = (requested: string, name: string) =>
  new URL(`/bodies/${encodeURIComponent(name)}`, requested).href

/** Null if the body is missing or truncated, or if the cache fails. */
async function findSharedBody(url: string): Promise<SharedBody | null> {
  try {
    const response = await (await openCache()).match(url)
    if (!response) return null
    const body = new Uint8Array(await response.arrayBuffer())
    const isWhole = body.byteLength === Number(response.headers.get(LENGTH))
    const pages = response.headers.get(TOTAL_PAGES)
    return isWhole ? { body, totalPages: pages === null ? null : Number(pages) } : null
  } catch {
    return null
  }
}

async function shareBody(url: string, { body, totalPages }: SharedBody): Promise<void> {
  const headers = new Headers({ 'Cache-Control': `max-age=${MAX_AGE_S}`, [LENGTH]: String(body.byteLength) })
  if (totalPages !== null) headers.set(TOTAL_PAGES, String(totalPages))
  await (await openCache()).put(url, new Response(body, { headers }))
}

/** Change the name when the format of the entries changes. */
const openCache = () => caches.open('bodies-2')
