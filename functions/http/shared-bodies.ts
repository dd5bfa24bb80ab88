/** Bodies shared by a data centre in Cloudflare's Cache API. Keys contain version and format, so no entry needs a purge. */
import type { CachedBody } from '../../src/caches.ts'

/** Detects truncated bodies. */
export const LENGTH = 'X-Length'
const PAGING = 'X-Paging'
/** Deployments keep the cache, so this bounds how long a wrong body can live. */
const MAX_AGE_S = 86_400

type SharedBody = Pick<CachedBody, 'body' | 'paging'>

/** The Cache API requires the Worker's own host. `name` contains everything that the body depends on. */
export const sharedUrl = (requested: string, name: string) =>
  new URL(`/bodies/${encodeURIComponent(name)}`, requested).href

/** Null if the body is missing or truncated, or if the cache fails. */
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
