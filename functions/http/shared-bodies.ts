/**
 * Bodies that all isolates of a data centre share, in Cloudflare's Cache API. Their key names the version and the form of the
 * answer, so nothing is stale and nothing is purged.
 */
import type { CachedBody } from '../../src/caches.ts'

/** Tells a whole body from one that was cut off. */
export const LENGTH = 'X-Length'
const PAGING = 'X-Paging'
/** A deployment leaves the cache as it is, so a mistake in a body that nobody writes again ends after a day. */
const MAX_AGE_S = 86_400

type SharedBody = Pick<CachedBody, 'body' | 'paging'>

/** The cache wants URLs at the Worker's own host. `name` is all that the body depends on. */
export const sharedUrl = (requested: string, name: string) =>
  new URL(`/bodies/${encodeURIComponent(name)}`, requested).href

/** Null if the cache has none or a part of it, or fails. */
export async function findSharedBody(url: string): Promise<SharedBody | null> {
  try {
    const response = await (await openCache()).match(url)
    if (!response) return null
    const body = new Uint8Array(await response.arrayBuffer())
    const isWhole = body.byteLength === Number(response.headers.get(LENGTH))
    return isWhole ? { body, paging: response.headers.get(PAGING) } : null
  } catch {
    return null
  }
}

export async function shareBody(url: string, { body, paging }: SharedBody): Promise<void> {
  const headers = new Headers({ 'Cache-Control': `max-age=${MAX_AGE_S}`, [LENGTH]: String(body.byteLength) })
  if (paging !== null) headers.set(PAGING, paging)
  await (await openCache()).put(url, new Response(body, { headers }))
}

const openCache = () => caches.open('bodies')
